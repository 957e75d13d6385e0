-- NEEDS holds reasons segments slots waiting

-- Removes an entry from the waitlist, and returns its previous state. If the entry is not on the waitlist, returns nil.
-- If the entry does not have the given ticket, returns `other` and removes nothing.
local function take_out(keys, entry_id, place, stay_ticket, is_admitted)
  if not place then return nil end
  if stay_ticket ~= '' and place.ticket ~= tonumber(stay_ticket) then return 'other' end
  remove_waiting(keys, entry_id)
  if place.state == 'waiting' then leave_segments(keys, entry_id, place.rank) end
  forget_readiness(keys, entry_id)
  if keys.last_polls then redis.call('HDEL', keys.last_polls, entry_id) end
  redis.call('HDEL', keys.tags, entry_id)
  redis.call('HDEL', keys.tickets_of_moved, entry_id)
  redis.call('HDEL', keys.attempts, entry_id)
  if place.state ~= 'done' then
    if is_admitted then use_up(keys, place) else give_back(keys, entry_id, place) end
  end
  delete_hold(keys, entry_id)
  no_longer_held(keys, entry_id)
  redis.call('ZREM', keys.parked, entry_id)
  return place.state
end
