-- drop: takes out an entry that the record does not know as waiting; nobody counts it.
-- USES ticket tombstone
-- KEYS meta queue gone moved
-- ARGV entry_id join_id now
-- RETURNS dropped stamp | absent stamp | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local now = ARGV[3]

if redis.call('EXISTS', meta_key) == 0 then return {'cold'} end
local stamp = draw(meta_key, now)
if is_gone(gone_key, entry_id, join_id) then return {'absent', stamp} end
bury(gone_key, entry_id, join_id, now)
redis.call('HDEL', moved_key, entry_id)
if redis.call('ZREM', queue_key, entry_id) == 0 then return {'absent', stamp} end
return {'dropped', stamp}
