-- Creates and returns the hold of an entry. The caller has already removed the entry from the queue and from its
-- segments. The state is `held` for a claim, or `offered` for an offer. `paid` names the slots that are used for an
-- offer.
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
