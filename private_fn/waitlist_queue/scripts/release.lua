-- release: ends a hold, back to the old place or to the end of the line; a repeat changes nothing.
-- USES home clock ticket draw segments tags put gap aside back decide decided proof
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags
-- ARGV entry_id token to now here
-- RETURNS released stamp rank ticket attempts position total
-- RETURNS repeat stamp rank ticket attempts position total
-- RETURNS cold | rebuilding | not_held | claim_mismatch | claim_expired
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local claims_key = KEYS[4]
local parked_key = KEYS[5]
local tries_key = KEYS[6]
local moved_key = KEYS[7]
local unsettled_key = KEYS[8]
local decided_key = KEYS[9]
local segments_key = KEYS[10]
local tags_key = KEYS[11]
local entry_id = ARGV[1]
local token = ARGV[2]
local to = ARGV[3]
local now = ARGV[4]
local here = ARGV[5]

local meta = redis.call('HMGET', meta_key, 'state', 'home', 'mending')
if not at_home(meta[1], meta[2], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[3] == '1' then return {'rebuilding'} end
local keys = {queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, unsettled = unsettled_key, decided = decided_key,
  segments = segments_key, tags = tags_key}
local note, refusal = check_hold(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
local outcome = 'released'
if note then
  note.stamp = draw(meta_key, now)
  local wanted = to == 'back' and 255 * TIER + note.stamp or note.rank
  note.rank = return_to_line(keys, entry_id, note, wanted)
  decide(keys, entry_id, 'released', note, token, 0)
else
  -- What has come since, another claim say, does not undo it.
  outcome, note = 'repeat', made_by(decided_key, entry_id, 'released', token)
  if not note then return {refusal} end
end
-- While the order is rebuilt nobody knows how many stand ahead.
local index = meta[1] == 'warm' and redis.call('ZRANK', queue_key, entry_id)
if not index then return {outcome, note.stamp, note.rank, note.ticket, note.attempts, -1, -1} end
return {outcome, note.stamp, note.rank, note.ticket, note.attempts, index + 1,
  redis.call('ZCARD', queue_key)}
