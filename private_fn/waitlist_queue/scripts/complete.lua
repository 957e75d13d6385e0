-- complete: ends a hold for good, its person is admitted; a repeat with the token changes nothing.
-- USES home text clock ticket draw aside proof
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
local meta = redis.call('HMGET', meta_key, 'state', 'home', 'mending')
if not at_home(meta[1], meta[2], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[3] == '1' then return {'rebuilding'} end
local note, refusal = check_hold({held = held_key, claims = claims_key}, entry_id, token, now)
if not note then return {refusal} end
local stamp = draw(meta_key, now)
local outcome = 'repeat'
if refusal ~= 'completed' then
  redis.call('ZREM', held_key, entry_id)
  redis.call('HDEL', tags_key, entry_id)
  outcome, note.state, note.stamp = 'completed', 'done', stamp
  write_note(claims_key, entry_id, note)
  redis.call('HINCRBY', meta_key, 'admitted', 1)
  unsettle(unsettled_key, entry_id, stamp)
end
return {outcome, stamp, note.rank, note.ticket, note.attempts, note.stamp}
