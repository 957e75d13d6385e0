-- NEEDS off_queue ticket

-- Creates and returns a claim or an offer for an entry. The caller has already removed the entry from the queue.
local function start_hold(keys, entry_id, rank, state, token, deadline, stamp, paid)
  local ticket = redis.call('HGET', keys.tickets_of_moved, entry_id)
  local attempts = redis.call('HGET', keys.attempts, entry_id)
  if ticket then redis.call('HDEL', keys.tickets_of_moved, entry_id) end
  if attempts then redis.call('HDEL', keys.attempts, entry_id) end
  hold_until(keys, entry_id, state, deadline)
  local hold = {state = state, token = token, rank = rank, ticket = tonumber(ticket) or rank % TIER,
    attempts = tonumber(attempts or 0), stamp = stamp, paid = paid or '', was = rank}
  write_hold(keys, entry_id, hold)
  write_payment(keys, entry_id, hold)
  return hold
end
