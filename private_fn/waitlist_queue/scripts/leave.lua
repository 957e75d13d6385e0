-- leave: ends one stay in line, for good; a repeat changes nothing.
-- USES home state clock ticket draw segments tags aside tombstone take_out
-- KEYS meta queue gone moved held claims parked tries segments tags
-- ARGV entry_id join_id stay_ticket now here
-- RETURNS left stamp | absent stamp | cold

if not state_here(keys, here) then return {'cold'} end
local stamp = draw(keys, now)
if is_gone(keys, entry_id, join_id) then return {'absent', stamp} end
bury(keys, entry_id, join_id, stamp)
local was = take_out(keys, entry_id, stay_ticket)
-- Whoever has a ticket had a place, though Redis may have lost it.
if was == 'other' or (not was and stay_ticket == '') then return {'absent', stamp} end
-- An admission that came after the intent to leave is none.
if was == 'done' then redis.call('HINCRBY', keys.meta, 'admitted', -1) end
redis.call('HINCRBY', keys.meta, 'left', 1)
return {'left', stamp}
