-- Gives one entry, out of line by now, to a claimer; returns its note.
local function hold(keys, entry_id, rank, token, deadline, stamp)
  local ticket = redis.call('HGET', keys.moved, entry_id)
  local attempts = redis.call('HGET', keys.tries, entry_id)
  if ticket then redis.call('HDEL', keys.moved, entry_id) end
  if attempts then redis.call('HDEL', keys.tries, entry_id) end
  leave_segments(keys, entry_id, rank)
  redis.call('ZADD', keys.held, deadline, entry_id)
  local note = {state = 'held', token = token, rank = rank, ticket = tonumber(ticket) or rank % TIER,
    attempts = tonumber(attempts or 0), stamp = stamp}
  write_note(keys, entry_id, note)
  return note
end
