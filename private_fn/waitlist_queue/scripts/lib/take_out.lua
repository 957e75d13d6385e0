-- Takes an entry out of line, claim or shelf; tells what it was, or other where another stay has
-- the place: theirs had ended before.
local function take_out(keys, entry_id, stay_ticket)
  local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
  local note = not rank and note_of(keys, entry_id)
  if not rank and not note then return nil end
  local ticket = rank and ticket_of(keys, entry_id, rank) or note.ticket
  if stay_ticket ~= '' and ticket ~= tonumber(stay_ticket) then return 'other' end
  redis.call('ZREM', keys.queue, entry_id)
  if rank then leave_segments(keys, entry_id, rank) end
  redis.call('HDEL', keys.tags, entry_id)
  redis.call('HDEL', keys.moved, entry_id)
  redis.call('HDEL', keys.tries, entry_id)
  redis.call('HDEL', keys.claims, entry_id)
  redis.call('ZREM', keys.held, entry_id)
  redis.call('ZREM', keys.parked, entry_id)
  return note and note.state or 'waiting'
end
