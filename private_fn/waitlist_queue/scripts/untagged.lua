-- untagged: tells who is not in the index of segments yet; where nobody is left, it is ready.
-- USES home complete_tags
-- KEYS meta queue held parked tags
-- ARGV segments_version which offset limit here
-- RETURNS untagged looked_at entry_ids | ready looked_at entry_ids
-- RETURNS cold | rebuilding | stale_segments

local meta = redis.call('HMGET', keys.meta, 'state', 'segments_version', 'home')
if not at_home(meta[1], meta[3], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if segments_version ~= (meta[2] or '0') then return {'stale_segments'} end
if state_of_segments(keys, segments_version) == 'ready' then
  redis.call('HSET', keys.meta, 'segments_state', 'ready')
  return {'ready', 0, {}}
end
-- From the tail: who is admitted meanwhile shifts nobody who is still to be looked at.
local listed = keys[which == 'waiting' and 'queue' or which]
local ids = redis.call('ZREVRANGE', listed, offset, offset + limit - 1)
if #ids == 0 then return {'untagged', 0, {}} end
local entry_ids = {}
for i, tags in ipairs(redis.call('HMGET', keys.tags, unpack(ids))) do
  if not tags then entry_ids[#entry_ids + 1] = ids[i] end
end
return {'untagged', #ids, entry_ids}
