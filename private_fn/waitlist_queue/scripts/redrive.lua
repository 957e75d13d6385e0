-- redrive: brings a parked entry back to its old place, or to the end, with no attempts.
-- USES home state clock ticket draw segments tags put gap aside back
-- KEYS meta queue held claims parked tries moved unsettled segments tags
-- ARGV entry_id to now here
-- RETURNS redriven stamp rank ticket position total
-- RETURNS cold | rebuilding | not_parked
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local claims_key = KEYS[4]
local parked_key = KEYS[5]
local tries_key = KEYS[6]
local moved_key = KEYS[7]
local unsettled_key = KEYS[8]
local segments_key = KEYS[9]
local tags_key = KEYS[10]
local entry_id = ARGV[1]
local to = ARGV[2]
local now = ARGV[3]
local here = ARGV[4]

local state = state_here(meta_key, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local note = note_of(claims_key, entry_id)
if not note or note.state ~= 'parked' then return {'not_parked'} end
local keys = {queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, segments = segments_key, tags = tags_key}
local stamp = draw(meta_key, now)
note.attempts = 0
local rank = return_to_line(keys, entry_id, note, to == 'back' and 255 * TIER + stamp or note.rank)
unsettle(unsettled_key, entry_id, stamp)
local position = redis.call('ZRANK', queue_key, entry_id) + 1
return {'redriven', stamp, rank, note.ticket, position, redis.call('ZCARD', queue_key)}
