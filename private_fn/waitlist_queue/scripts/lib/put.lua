-- Writes a place; remembers the signup's ticket where the rank does not tell it.
local function put(queue_key, moved_key, entry_id, rank, ticket)
  redis.call('ZADD', queue_key, rank, entry_id)
  if rank % TIER == ticket then
    redis.call('HDEL', moved_key, entry_id)
  else
    redis.call('HSET', moved_key, entry_id, ticket)
  end
end
