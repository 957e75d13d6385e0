-- Returns the waiting entry that has exactly `index` waiting entries ahead of it, and its rank.
local function waiting_at(keys, index)
  local function at(set, number)
    local entry_id, rank = unpack(redis.call('ZRANGE', set, number, number, 'WITHSCORES'))
    return entry_id, tonumber(rank)
  end
  if not keys.not_ready then return at(keys.queue, index) end
  -- A binary search finds how many ready entries come before the wanted entry.
  local low, high = 0, math.min(index + 1, redis.call('ZCARD', keys.queue))
  while low < high do
    local middle = math.floor((low + high) / 2)
    local entry_id, rank = at(keys.queue, middle)
    local ahead = middle + redis.call('ZCOUNT', keys.not_ready, '-inf', rank)
    if ahead == index then return entry_id, rank end
    if ahead < index then low = middle + 1 else high = middle end
  end
  return at(keys.not_ready, index - low)
end
