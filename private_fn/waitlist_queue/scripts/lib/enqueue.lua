-- NEEDS reasons tags ticket waiting

-- Adds an entry to the waiting entries. If the ticket cannot be computed from the rank, the ticket is stored in the
-- hash `tickets_of_moved`.
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
