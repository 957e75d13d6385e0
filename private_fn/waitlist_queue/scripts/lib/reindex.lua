-- NEEDS reasons segment_index

-- Replaces the tags (segments) of an entry, unless the old tags are at least as new. Tags of an earlier signup are
-- always replaced.
local function reindex(keys, entry_id, tags, rank, another_stay)
  local old = redis.call('HGET', keys.tags, entry_id)
  local function version_of(packed) return tonumber(string.match(packed, '%d+$')) end
  if old and not another_stay and version_of(old) >= version_of(tags) then return false end
  if rank and old then remove_index_members(keys, entry_id, rank, old) end
  redis.call('HSET', keys.tags, entry_id, tags)
  if rank then add_index_members(keys, entry_id, rank, tags, is_ready_to_wait(keys, entry_id)) end
  return true
end
