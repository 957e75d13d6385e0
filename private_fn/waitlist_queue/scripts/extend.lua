-- extend: gives a hold more time from now on (a heartbeat).
-- USES home clock ticket draw aside proof
-- KEYS meta held claims unsettled
-- ARGV entry_id token lease_seconds now here
-- RETURNS extended stamp deadline rank ticket attempts
-- RETURNS cold | rebuilding | not_held | claim_mismatch | claim_expired

local meta = redis.call('HMGET', keys.meta, 'state', 'lease_seconds', 'home', 'mending')
if not at_home(meta[1], meta[3], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[4] == '1' then return {'rebuilding'} end
local note, refusal = check_hold(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
if not note then return {refusal} end
if lease_seconds == '' then lease_seconds = meta[2] end
local deadline = math.floor(micros(now) / 1000) + tonumber(lease_seconds) * 1000
note.stamp = draw(keys, now)
redis.call('ZADD', keys.held, deadline, entry_id)
write_note(keys, entry_id, note)
unsettle(keys, entry_id, note.stamp)
return {'extended', note.stamp, deadline, note.rank, note.ticket, note.attempts}
