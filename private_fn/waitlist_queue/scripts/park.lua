-- park: ends a hold and puts its entry aside for a person to look at; a repeat changes nothing.
-- USES home clock ticket draw aside decide decided proof
-- KEYS meta held claims parked unsettled decided
-- ARGV entry_id token now here
-- RETURNS parked stamp parked_millis rank ticket attempts
-- RETURNS repeat stamp parked_millis rank ticket attempts
-- RETURNS cold | rebuilding | not_held | claim_mismatch | claim_expired

local meta = redis.call('HMGET', keys.meta, 'state', 'home', 'mending')
if not at_home(meta[1], meta[2], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[3] == '1' then return {'rebuilding'} end
local note, refusal = check_hold(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
if not note then
  local done = made_by(keys, entry_id, 'parked', token)
  if not done then return {refusal} end
  return {'repeat', done.stamp, done.at, done.rank, done.ticket, done.attempts}
end
local millis = math.floor(micros(now) / 1000)
note.stamp = draw(keys, now)
put_aside(keys, entry_id, note, millis)
decide(keys, entry_id, 'parked', note, token, millis)
return {'parked', note.stamp, millis, note.rank, note.ticket, note.attempts}
