-- drop: takes out an entry that the record does not know as waiting; an admission is counted.
-- USES home state clock ticket draw segments tags aside tombstone take_out
-- KEYS meta queue gone moved held claims parked tries decided segments tags moves
-- ARGV entry_id join_id stay_ticket is_admitted is_erased now here
-- RETURNS dropped stamp dropped_stamp | absent stamp dropped_stamp | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local tries_key = KEYS[8]
local decided_key = KEYS[9]
local segments_key = KEYS[10]
local tags_key = KEYS[11]
local moves_key = KEYS[12]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local stay_ticket = ARGV[3]
local is_admitted = ARGV[4]
local is_erased = ARGV[5]
local now = ARGV[6]
local here = ARGV[7]

if not state_here(meta_key, here) then return {'cold'} end
if is_erased == '1' then
  redis.call('UNLINK', moves_key)
  redis.call('HDEL', decided_key, entry_id)
end
local stamp = draw(meta_key, now)
local dropped_stamp = is_gone(gone_key, entry_id, join_id)
if dropped_stamp then return {'absent', stamp, tonumber(dropped_stamp)} end
bury(gone_key, entry_id, join_id, stamp)
local was = take_out({queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, segments = segments_key, tags = tags_key},
  entry_id, stay_ticket)
if not was or was == 'done' or was == 'other' then return {'absent', stamp, stamp} end
if is_admitted == '1' then redis.call('HINCRBY', meta_key, 'admitted', 1) end
return {'dropped', stamp, stamp}
