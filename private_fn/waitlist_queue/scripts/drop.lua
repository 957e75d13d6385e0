-- drop: takes out an entry that the record does not know as waiting; nobody counts it.
-- USES ticket clock draw tombstone take_out
-- KEYS meta queue gone moved
-- ARGV entry_id join_id stay_ticket now
-- RETURNS dropped stamp | absent stamp | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local stay_ticket = ARGV[3]
local now = ARGV[4]

if redis.call('EXISTS', meta_key) == 0 then return {'cold'} end
local stamp = draw(meta_key, now)
if is_gone(gone_key, entry_id, join_id) then return {'absent', stamp} end
bury(gone_key, entry_id, join_id, now)
if not take_out(queue_key, moved_key, entry_id, stay_ticket) then return {'absent', stamp} end
return {'dropped', stamp}
