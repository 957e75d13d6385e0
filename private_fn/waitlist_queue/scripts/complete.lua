-- complete: ends a hold for good, its person is admitted; a repeat with the token changes nothing.
-- USES home clock ticket aside proof
-- KEYS meta held claims unsettled tags
-- ARGV entry_id token now here
-- RETURNS completed stamp rank ticket attempts done_stamp
-- RETURNS repeat stamp rank ticket attempts done_stamp
-- RETURNS cold | rebuilding | not_held | claim_mismatch | claim_expired
local meta_key = KEYS[1]
local held_key = KEYS[2]
local claims_key = KEYS[3]
local unsettled_key = KEYS[4]
local tags_key = KEYS[5]
local entry_id = ARGV[1]
local token = ARGV[2]
local now = ARGV[3]
local here = ARGV[4]

now = micros(now) -- read once for all that follows
local meta = redis.call('HMGET', meta_key, 'state', 'home', 'mending', 'last_ticket', 'admitted',
  'segments_version')
if not at_home(meta[1], meta[2], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[3] == '1' then return {'rebuilding'} end
local note, refusal = check_hold({held = held_key, claims = claims_key}, entry_id, token, now)
if not note then return {refusal} end
local stamp, admitted = ticket_after(meta[4], now), tonumber(meta[5])
local outcome = 'repeat'
if refusal ~= 'completed' then
  outcome, note.state, note.stamp, admitted = 'completed', 'done', stamp, admitted + 1
  write_note(claims_key, entry_id, note)
  redis.call('ZREM', held_key, entry_id)
  if (meta[6] or '0') ~= '0' then redis.call('HDEL', tags_key, entry_id) end
  unsettle(unsettled_key, entry_id, stamp)
end
redis.call('HSET', meta_key, 'last_ticket', stamp, 'admitted', admitted)
return {outcome, stamp, note.rank, note.ticket, note.attempts, note.stamp}
