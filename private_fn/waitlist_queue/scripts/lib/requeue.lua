-- NEEDS enqueue gap off_queue

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
