-- NEEDS presence reasons segments tickets waiting

-- Returns the rank of an entry that can be taken out of the queue, or nil and an error code. If the entry no longer has
-- the ticket `ticket`, the customer has signed up again since the message was sent, so the entry is not taken.
local function check_certain(keys, entry_id, ticket)
  local rank, is_ready = waiting_rank(keys, entry_id)
  if not rank then return nil, 'not_waiting' end
  if ticket ~= '' and ticket_of(keys, entry_id, rank) ~= tonumber(ticket) then return nil, 'not_waiting' end
  local is_away_only = not is_ready and not has_reason(without_away(redis.call('HGET', keys.readiness, entry_id)))
  if not (is_ready or is_away_only) then return nil, 'entry_not_ready' end
  return rank
end

-- Takes a specific entry out of the queue, at any position. Returns the entry in the same form as pop_preferred.
local function take_certain(keys, entry_id, rank)
  if keys.not_ready then end_absence(keys, entry_id) end
  redis.call('ZREM', keys.queue, entry_id)
  leave_segments(keys, entry_id, rank)
  return {entry_id = entry_id, rank = rank, filter_index = 0}
end
