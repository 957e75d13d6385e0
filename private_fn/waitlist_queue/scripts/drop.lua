-- drop: takes out an entry that the record does not know as waiting; an admission is counted.
-- USES home state clock ticket draw segments tags aside tombstone take_out
-- KEYS meta queue gone moved held claims parked tries decided segments tags moves
-- ARGV entry_id join_id stay_ticket is_admitted is_erased now here
-- RETURNS dropped stamp dropped_stamp | absent stamp dropped_stamp | cold

if not state_here(keys, here) then return {'cold'} end
if is_erased == '1' then
  redis.call('UNLINK', keys.moves)
  redis.call('HDEL', keys.decided, entry_id)
end
local stamp = draw(keys, now)
local dropped_stamp = is_gone(keys, entry_id, join_id)
if dropped_stamp then return {'absent', stamp, tonumber(dropped_stamp)} end
bury(keys, entry_id, join_id, stamp)
local was = take_out(keys, entry_id, stay_ticket)
if not was or was == 'done' or was == 'other' then return {'absent', stamp, stamp} end
if is_admitted == '1' then redis.call('HINCRBY', keys.meta, 'admitted', 1) end
return {'dropped', stamp, stamp}
