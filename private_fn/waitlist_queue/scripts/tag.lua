-- tag: Writes an entry's segments, and the reasons why it is not ready. The entry may be waiting, claimed, offered a
-- slot, or parked (set aside).
-- PRELUDE cold stale_segments
-- NEEDS readiness segments tombstone waiting
-- ARGV entry_id join_id segments_version tags readiness
-- RETURNS tagged|kept|absent
-- RETURNS gone
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
