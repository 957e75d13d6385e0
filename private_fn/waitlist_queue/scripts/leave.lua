-- leave: ends one stay in line, for good; a repeat changes nothing.
-- USES ticket clock draw tombstone take_out
-- KEYS meta queue gone moved
-- ARGV entry_id join_id stay_ticket now
-- RETURNS left stamp | absent stamp | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local stay_ticket = ARGV[3]
local now = ARGV[4]

local state = redis.call('HGET', meta_key, 'state')
if not state then return {'cold'} end
local stamp = draw(meta_key, now)
if is_gone(gone_key, entry_id, join_id) then return {'absent', stamp} end
bury(gone_key, entry_id, join_id, now)
local removed = take_out(queue_key, moved_key, entry_id, stay_ticket)
-- While the order is rebuilt, whoever leaves may not have been put back yet.
if not removed and state == 'warm' then return {'absent', stamp} end
redis.call('HINCRBY', meta_key, 'left', 1)
return {'left', stamp}
