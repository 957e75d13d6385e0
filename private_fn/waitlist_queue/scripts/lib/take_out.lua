-- Returns the ticket of an entry's place, and its rank or its hold. Returns nil if the entry has no place.
local function find_place(keys, entry_id)
  local rank = waiting_rank(keys, entry_id)
  if rank then return ticket_of(keys, entry_id, rank), rank end
  local hold = read_hold(keys, entry_id)
  return hold and hold.ticket, nil, hold
end

-- Takes an entry off the list. If the entry has an open offer, the slot that paid for it is used up by an admission,
-- and given back otherwise. Returns the entry's previous state, its ticket, and its hold. Returns nil if the entry has
-- no place. Returns `other`, and changes nothing, if the place belongs to another stay of the same customer.
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
