-- complete: ends a hold for good, its person is admitted; a repeat with the token changes nothing.
-- USES home clock ticket aside proof
-- KEYS meta held claims unsettled tags
-- ARGV entry_id token now here
-- RETURNS completed stamp rank ticket attempts done_stamp
-- RETURNS repeat stamp rank ticket attempts done_stamp
-- RETURNS cold | rebuilding | not_held | claim_mismatch | claim_expired

now = micros(now) -- read once for all that follows
local meta = redis.call('HMGET', keys.meta, 'state', 'home', 'mending', 'last_ticket', 'admitted',
  'segments_version')
if not at_home(meta[1], meta[2], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[3] == '1' then return {'rebuilding'} end
local note, refusal = check_hold(keys, entry_id, token, now)
if not note then return {refusal} end
local stamp, admitted = ticket_after(meta[4], now), tonumber(meta[5])
local outcome = 'repeat'
if refusal ~= 'completed' then
  outcome, note.state, note.stamp, admitted = 'completed', 'done', stamp, admitted + 1
  write_note(keys, entry_id, note)
  redis.call('ZREM', keys.held, entry_id)
  if (meta[6] or '0') ~= '0' then redis.call('HDEL', keys.tags, entry_id) end
  unsettle(keys, entry_id, stamp)
end
redis.call('HSET', keys.meta, 'last_ticket', stamp, 'admitted', admitted)
return {outcome, stamp, note.rank, note.ticket, note.attempts, note.stamp}
