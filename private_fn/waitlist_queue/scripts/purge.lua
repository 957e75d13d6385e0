-- purge: forgets a waitlist's order.
-- KEYS meta queue gone moved
-- RETURNS purged
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]

redis.call('UNLINK', meta_key, queue_key, gone_key, moved_key)
return {'purged'}
