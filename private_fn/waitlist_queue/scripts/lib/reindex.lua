-- Writes other tags of an entry; `rank` is its rank if it is in the queue. Tags of the same stay that are as new
-- remain; tags of `another_stay` do not count.
local function reindex(keys, entry_id, tags, rank, another_stay)
  local old = redis.call('HGET', keys.tags, entry_id)
  local function version_of(packed) return tonumber(string.match(packed, '%d+$')) end
  if old and not another_stay and version_of(old) >= version_of(tags) then return false end
  if rank and old then exit(keys, entry_id, rank, old) end
  redis.call('HSET', keys.tags, entry_id, tags)
  if rank then enter(keys, entry_id, rank, tags, is_ready_to_wait(keys, entry_id)) end
  return true
end
