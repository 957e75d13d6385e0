-- Gives an entry of the list other tags, unless those that it has are as new; `rank` if in line.
local function retag(keys, entry_id, tags, rank)
  local old = redis.call('HGET', keys.tags, entry_id)
  local function version_of(packed) return tonumber(string.match(packed, '%d+$')) end
  if old and version_of(old) >= version_of(tags) then return false end
  if rank and old then exit(keys, entry_id, rank, old) end
  redis.call('HSET', keys.tags, entry_id, tags)
  if rank then enter(keys, entry_id, rank, tags) end
  return true
end
