-- The entries that wait: `queue` has those that are ready, `not_ready` those that are passed over for now, both by rank
-- and no rank twice. So nothing that takes entries meets one that is passed over. On a list on which every entry has
-- always been ready `keys.not_ready` is nil, and no script reads the keys of readiness.
-- Of the entries in `not_ready`, `unverified` has those whose address is not verified. They have a rank and take room, but
-- positions and totals do not count them: whoever signs an address up must not see whether the list has grown.

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

-- Returns whether the address of an entry is still to be verified, by why it is not ready.
local function is_unverified(packed)
  return packed and string.find(packed, ';unverified=', 1, true) ~= nil
end

-- Adds an entry to those that wait, or gives it another rank.
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

-- Counts all entries that wait. Capacity counts these.
local function count_waiting(keys)
  local ready = redis.call('ZCARD', keys.queue)
  return keys.not_ready and ready + redis.call('ZCARD', keys.not_ready) or ready
end

-- Counts the entries that wait, without those whose address is not verified. Customers see this as the total.
local function count_verified(keys)
  local waiting = count_waiting(keys)
  return keys.not_ready and waiting - redis.call('ZCARD', keys.unverified) or waiting
end

-- Counts the waiting entries with ranks from `first` to `last`.
local function count_between(keys, first, last)
  local ready = redis.call('ZCOUNT', keys.queue, first, last)
  return keys.not_ready and ready + redis.call('ZCOUNT', keys.not_ready, first, last) or ready
end

-- Returns how many entries with a verified address wait ahead of a waiting entry, and how many of them are ready: false
-- where all are. Returns false if the entry does not wait.
local function count_ahead(keys, entry_id)
  local ready = redis.call('ZRANK', keys.queue, entry_id)
  if not keys.not_ready then return ready, false end
  local rank = waiting_rank(keys, entry_id)
  if not rank then return false, false end
  ready = ready or redis.call('ZCOUNT', keys.queue, '-inf', rank)
  local passed_over = redis.call('ZCOUNT', keys.not_ready, '-inf', rank - 1)
  return ready + passed_over - redis.call('ZCOUNT', keys.unverified, '-inf', rank - 1), ready
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
