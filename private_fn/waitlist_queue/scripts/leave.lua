-- leave: ends one stay in line, for good; a repeat changes nothing.
-- USES home state clock ticket draw segments tags aside tombstone take_out
-- KEYS meta queue gone moved held claims parked tries segments tags
-- ARGV entry_id join_id stay_ticket now here
-- RETURNS left stamp | absent stamp | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local tries_key = KEYS[8]
local segments_key = KEYS[9]
local tags_key = KEYS[10]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local stay_ticket = ARGV[3]
local now = ARGV[4]
local here = ARGV[5]

if not state_here(meta_key, here) then return {'cold'} end
local stamp = draw(meta_key, now)
if is_gone(gone_key, entry_id, join_id) then return {'absent', stamp} end
bury(gone_key, entry_id, join_id, stamp)
local was = take_out({queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, segments = segments_key, tags = tags_key},
  entry_id, stay_ticket)
-- Whoever has a ticket had a place, though Redis may have lost it.
if was == 'other' or (not was and stay_ticket == '') then return {'absent', stamp} end
-- An admission that came after the intent to leave is none.
if was == 'done' then redis.call('HINCRBY', meta_key, 'admitted', -1) end
redis.call('HINCRBY', meta_key, 'left', 1)
return {'left', stamp}
