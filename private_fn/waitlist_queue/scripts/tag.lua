-- tag: puts an entry, wherever it is on the list, into the segments of its attributes.
-- USES owner segment_index reindex tombstone
-- KEYS meta queue tombstones held parked segments tags
-- ARGV entry_id join_id segments_version tags server_run_id
-- META state segments_version home
-- RETURNS tagged | kept | absent
-- RETURNS cold | gone | stale_segments
if not owned_state(meta_state, meta_home, server_run_id) then return {'cold'} end
if segments_version ~= (meta_segments_version or '0') then return {'stale_segments'} end
if tombstone_of(keys, entry_id, join_id) then return {'gone'} end
local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
if not (rank or redis.call('ZSCORE', keys.held, entry_id) or
  redis.call('ZSCORE', keys.parked, entry_id)) then
  return {'absent'}
end
local outcome = 'kept'
if segments_version ~= '0' and reindex(keys, entry_id, tags, rank) then outcome = 'tagged' end
return {outcome}
