-- tag: Writes the segments and the readiness of an entry that is waiting, held or parked.
-- USES owner waiting reasons segment_index tags readiness reindex tombstone
-- KEYS meta queue not_ready unverified ready_at readiness tombstones held parked segments tags
-- ARGV entry_id join_id segments_version tags readiness server_run_id
-- META state segments_version owner not_ready
-- RETURNS tagged | kept | absent
-- RETURNS cold | gone | stale_segments
if not owned_state(meta_state, meta_owner, server_run_id) then return {'cold'} end
if segments_version ~= meta_segments_version then return {'stale_segments'} end
if tombstone_of(keys, entry_id, join_id) then return {'gone'} end
use_readiness(keys, meta_not_ready, readiness)
local rank = waiting_rank(keys, entry_id)
if not (rank or redis.call('ZSCORE', keys.held, entry_id) or
  redis.call('ZSCORE', keys.parked, entry_id)) then
  return {'absent'}
end
local outcome = 'kept'
if segments_version ~= '0' and reindex(keys, entry_id, tags, rank) then outcome = 'tagged' end
if accept_readiness(keys, entry_id, readiness) then outcome = 'tagged' end
return {outcome}
