-- NEEDS holds ranks reasons segments tickets waiting

-- Adds an entry to the queue at `rank`. If the ticket cannot be computed from this rank, also stores the ticket in the
-- `tickets_of_moved` hash.
local function enqueue(keys, entry_id, rank, ticket)
  local is_ready = is_ready_to_wait(keys, entry_id)
  add_waiting(keys, entry_id, rank, is_ready)
  enter_segments(keys, entry_id, rank, is_ready)
  if rank % TIER == ticket then
    redis.call('HDEL', keys.tickets_of_moved, entry_id)
  else
    redis.call('HSET', keys.tickets_of_moved, entry_id, ticket)
  end
end

-- Puts an entry back into the queue, at `rank` or at the nearest free rank ahead of it. Returns the new rank of the
-- entry.
local function requeue(keys, entry_id, hold, rank)
  local free = free_rank(keys, entry_id, rank) or rank
  enqueue(keys, entry_id, free, hold.ticket)
  delete_hold(keys, entry_id)
  no_longer_held(keys, entry_id)
  redis.call('ZREM', keys.parked, entry_id)
  if hold.attempts > 0 then
    redis.call('HSET', keys.attempts, entry_id, hold.attempts)
  else
    redis.call('HDEL', keys.attempts, entry_id)
  end
  return free
end
