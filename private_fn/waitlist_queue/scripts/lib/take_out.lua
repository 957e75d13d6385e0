-- NEEDS holds reasons segments slots tickets waiting

-- Returns the ticket of an entry, followed by the rank if the entry is waiting, or by its hold if it is not. Returns
-- nil if Redis does not have the entry.
local function find_place(keys, entry_id)
  local rank = waiting_rank(keys, entry_id)
  if rank then return ticket_of(keys, entry_id, rank), rank end
  local hold = read_hold(keys, entry_id)
  return hold and hold.ticket, nil, hold
end

-- Removes an entry from the waitlist and returns its state and ticket. Returns `other` if the entry has a different
-- ticket.
local function take_out(keys, entry_id, stay_ticket, is_admitted)
  local ticket, rank, hold = find_place(keys, entry_id)
  if not ticket then return nil end
  if stay_ticket ~= '' and ticket ~= tonumber(stay_ticket) then return 'other' end
  remove_waiting(keys, entry_id)
  if rank then leave_segments(keys, entry_id, rank) end
  forget_readiness(keys, entry_id)
  redis.call('HDEL', keys.tags, entry_id)
  redis.call('HDEL', keys.tickets_of_moved, entry_id)
  redis.call('HDEL', keys.attempts, entry_id)
  if hold and hold.state ~= 'done' then
    if is_admitted then use_up(keys, hold) else give_back(keys, entry_id, hold) end
  end
  delete_hold(keys, entry_id)
  no_longer_held(keys, entry_id)
  redis.call('ZREM', keys.parked, entry_id)
  return hold and hold.state or 'waiting', ticket, hold
end
