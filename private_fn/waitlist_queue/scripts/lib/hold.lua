-- Gives one entry, out of line by now, to a claimer; returns its note.
local function hold(keys, entry_id, rank, token, deadline, stamp)
  local note = {state = 'held', token = token, rank = rank, stamp = stamp,
    ticket = ticket_of(keys.moved, entry_id, rank),
    attempts = tonumber(redis.call('HGET', keys.tries, entry_id) or 0)}
  redis.call('HDEL', keys.moved, entry_id)
  leave_segments(keys, entry_id, rank)
  redis.call('HDEL', keys.tries, entry_id)
  redis.call('ZADD', keys.held, deadline, entry_id)
  write_note(keys.claims, entry_id, note)
  return note
end
