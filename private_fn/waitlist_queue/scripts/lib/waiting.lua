-- The entries that wait: `queue` has those that are ready, `not_ready` those that are passed over for now, both by rank
-- and no rank twice. So nothing that takes entries meets one that is passed over. On a list on which every entry has
-- always been ready `keys.not_ready` is nil, and no script reads the keys of readiness.

-- Keeps a script from reading the keys of readiness if its list does not use them. It does from the first entry with a
-- `readiness` on.
local function use_readiness(keys, is_used, readiness)
  if is_used then return end
  if readiness == '' then
    keys.not_ready = nil
  else
    redis.call('HSET', keys.meta, 'not_ready', '1')
  end
end

-- Returns the rank of a waiting entry, and whether it is ready; nil if it does not wait.
local function waiting_rank(keys, entry_id)
  local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
  if rank or not keys.not_ready then return rank, true end
  return tonumber(redis.call('ZSCORE', keys.not_ready, entry_id)), false
end

local function count_waiting(keys)
  local ready = redis.call('ZCARD', keys.queue)
  return keys.not_ready and ready + redis.call('ZCARD', keys.not_ready) or ready
end

-- Counts the waiting entries with ranks from `first` to `last`.
local function count_between(keys, first, last)
  local ready = redis.call('ZCOUNT', keys.queue, first, last)
  return keys.not_ready and ready + redis.call('ZCOUNT', keys.not_ready, first, last) or ready
end

-- Returns how many entries wait ahead of a waiting entry, and how many of them are ready: false where all are. Returns
-- false if the entry does not wait.
local function count_ahead(keys, entry_id)
  local ready = redis.call('ZRANK', keys.queue, entry_id)
  if not keys.not_ready then return ready, false end
  local rank = waiting_rank(keys, entry_id)
  if not rank then return false, false end
  ready = ready or redis.call('ZCOUNT', keys.queue, '-inf', rank)
  return ready + redis.call('ZCOUNT', keys.not_ready, '-inf', rank - 1), ready
end

-- Returns the waiting entry with a rank, or the nearest one ahead of it, and its rank; nil without one.
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
