-- Adds an entry to the queue; keeps its ticket where the rank is not made of it.
local function enqueue(keys, entry_id, rank, ticket)
  redis.call('ZADD', keys.queue, rank, entry_id)
  enter_segments(keys, entry_id, rank)
  if rank % TIER == ticket then
    redis.call('HDEL', keys.tickets_of_moved, entry_id)
  else
    redis.call('HSET', keys.tickets_of_moved, entry_id, ticket)
  end
end
