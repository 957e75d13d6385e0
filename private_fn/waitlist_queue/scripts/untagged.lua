-- untagged: tells who is not in the index of segments yet; where nobody is left, it is ready.
-- USES home complete_tags
-- KEYS meta queue held parked tags
-- ARGV segments_version which offset limit here
-- RETURNS untagged looked_at entry_ids | ready looked_at entry_ids
-- RETURNS cold | rebuilding | stale_segments
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local parked_key = KEYS[4]
local tags_key = KEYS[5]
local segments_version = ARGV[1]
local which = ARGV[2]
local offset = ARGV[3]
local limit = ARGV[4]
local here = ARGV[5]

local meta = redis.call('HMGET', meta_key, 'state', 'segments_version', 'home')
if not at_home(meta[1], meta[3], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if segments_version ~= (meta[2] or '0') then return {'stale_segments'} end
local keys = {queue = queue_key, held = held_key, parked = parked_key, tags = tags_key}
if state_of_segments(keys, segments_version) == 'ready' then
  redis.call('HSET', meta_key, 'segments_state', 'ready')
  return {'ready', 0, {}}
end
-- From the tail: who is admitted meanwhile shifts nobody who is still to be looked at.
local those = ({waiting = queue_key, held = held_key, parked = parked_key})[which]
local ids = redis.call('ZREVRANGE', those, offset, offset + limit - 1)
if #ids == 0 then return {'untagged', 0, {}} end
local entry_ids = {}
for i, tags in ipairs(redis.call('HMGET', tags_key, unpack(ids))) do
  if not tags then entry_ids[#entry_ids + 1] = ids[i] end
end
return {'untagged', #ids, entry_ids}
