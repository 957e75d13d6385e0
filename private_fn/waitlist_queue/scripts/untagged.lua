-- untagged: Lists entries that are missing from the segment index. If no entry is missing, Redis marks the index
-- as complete.
-- PRELUDE cold rebuilding stale_segments not_ready
-- NEEDS segments
-- ARGV segments_version which offset limit
-- RETURNS untagged|ready looked_at entry_ids
if segment_state(keys, segments_version) == 'ready' then
  redis.call('HSET', keys.meta, 'segments_state', 'ready')
  return {'ready', 0, {}}
end
-- Read the sorted set from its end, because most entries leave it at the front. When an entry leaves at the front
-- between two calls, the other entries stay at the same distance from the end, so the next call continues at the right
-- entry.
local listed = ({waiting = keys.queue, not_ready = keys.not_ready, held = keys.held, parked = keys.parked})[which]
local ids = listed and redis.call('ZREVRANGE', listed, offset, offset + limit - 1)
if not ids or #ids == 0 then return {'untagged', 0, {}} end
local entry_ids = {}
for i, tags in ipairs(redis.call('HMGET', keys.tags, unpack(ids))) do
  if not tags then entry_ids[#entry_ids + 1] = ids[i] end
end
return {'untagged', #ids, entry_ids}
