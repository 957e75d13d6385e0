-- NEEDS reasons

-- The `queue` sorted set contains the waiting entries that are ready. The `not_ready` sorted set contains the waiting
-- entries that are passed over for now. Entries whose address is not verified are also in the `unverified` set.
--
-- Positions and totals do not count entries with an unverified address. Anyone can sign up with someone else's address.
-- If that address is not on the waitlist yet, such a signup adds an entry. If this entry were counted, the caller could
-- notice it by signing up with an address of their own before and after it, and comparing the two positions. The caller
-- would then know whether the other address was already on the waitlist.

-- Returns the rank of a waiting entry, and whether the entry is ready. Returns nil if the entry is not waiting.
local function waiting_rank(keys, entry_id)
  local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
  if rank or not keys.not_ready then return rank, true end
  return tonumber(redis.call('ZSCORE', keys.not_ready, entry_id)), false
end

-- Adds a waiting entry, or changes its rank.
local function add_waiting(keys, entry_id, rank, is_ready)
  redis.call('ZADD', is_ready and keys.queue or keys.not_ready, rank, entry_id)
  if not is_ready and is_unverified(redis.call('HGET', keys.readiness, entry_id)) then
    redis.call('ZADD', keys.unverified, rank, entry_id)
  end
end

local function remove_waiting(keys, entry_id)
  redis.call('ZREM', keys.queue, entry_id)
  if not keys.not_ready then return end
  redis.call('ZREM', keys.not_ready, entry_id)
  redis.call('ZREM', keys.unverified, entry_id)
end

-- Counts all waiting entries, including entries with an unverified address.
local function count_waiting(keys)
  local ready = redis.call('ZCARD', keys.queue)
  return keys.not_ready and ready + redis.call('ZCARD', keys.not_ready) or ready
end

-- Counts the waiting entries whose address is verified or needs no verification. Customers see this number as the
-- total.
local function count_verified(keys)
  local waiting = count_waiting(keys)
  return keys.not_ready and waiting - redis.call('ZCARD', keys.unverified) or waiting
end

-- Counts the waiting entries whose ranks are between `first` and `last`, both included.
local function count_between(keys, first, last)
  local ready = redis.call('ZCOUNT', keys.queue, first, last)
  return keys.not_ready and ready + redis.call('ZCOUNT', keys.not_ready, first, last) or ready
end

-- Returns two numbers: how many entries are ahead of an entry, and how many of those are ready. Neither number includes
-- entries with an unverified address.
--
-- If every entry on the waitlist has always been ready, the second result is false. If the entry is not waiting, both
-- results are false.
local function count_ahead(keys, entry_id)
  local ready = redis.call('ZRANK', keys.queue, entry_id)
  if not keys.not_ready then return ready, false end
  local rank = waiting_rank(keys, entry_id)
  if not rank then return false, false end
  ready = ready or redis.call('ZCOUNT', keys.queue, '-inf', rank)
  local passed_over = redis.call('ZCOUNT', keys.not_ready, '-inf', rank - 1)
  return ready + passed_over - redis.call('ZCOUNT', keys.unverified, '-inf', rank - 1), ready
end

-- Returns the last waiting entry whose rank is not higher than `rank`, and the rank of that entry. Returns nil if there
-- is no such entry.
local function waiting_until(keys, rank)
  local function nearest(set)
    local entry_id, found = unpack(redis.call('ZREVRANGEBYSCORE', set, rank, '-inf', 'WITHSCORES', 'LIMIT', 0, 1))
    return entry_id, tonumber(found)
  end
  local entry_id, found = nearest(keys.queue)
  if not keys.not_ready then return entry_id, found end
  local other, its_rank = nearest(keys.not_ready)
  if other and (not found or its_rank > found) then return other, its_rank end
  return entry_id, found
end

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
