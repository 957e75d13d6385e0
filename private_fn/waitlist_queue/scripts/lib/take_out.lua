-- Returns the ticket of an entry. If the entry is waiting, its rank is the second value. Otherwise its hold is the
-- third value. Returns nil if Redis does not have the entry.
local function find_place(keys, entry_id)
  local rank = waiting_rank(keys, entry_id)
  if rank then return ticket_of(keys, entry_id, rank), rank end
  local hold = read_hold(keys, entry_id)
  return hold and hold.ticket, nil, hold
end

-- Removes an entry from the waitlist. If the entry has an open offer, its slot is used up if the customer was admitted,
-- and is returned otherwise. Returns the state, the ticket and the hold that the entry had. Returns nil if Redis does
-- not have the entry. If the entry has another ticket than `stay_ticket`, nothing changes and the function returns
-- `other`.
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
