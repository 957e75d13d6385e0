-- NEEDS holds int_text readiness requeue segments tickets waiting

-- Returns whether the place in the record may replace the entry's place in Redis. The class Restore explains `when`.
local function may_restore(keys, entry_id, when, expected, is_hydrating, new, queue_rank, hold)
  if not (queue_rank or hold) then return true end
  if when == 'unchanged' then
    local found = hold and hold.state .. ':' .. int_text(hold.rank)
    return expected == (found or 'waiting:' .. int_text(queue_rank))
  end
  if when ~= 'older' or not is_hydrating then return false end
  -- If Redis has admitted the customer, the record does not contain the admission yet.
  if hold and hold.state == 'done' and hold.ticket == new.ticket then return false end
  if new.state == 'waiting' and queue_rank == new.rank then return false end
  if hold and hold.stamp > new.stamp then return false end
  local dirty = redis.call('ZSCORE', keys.dirty, entry_id)
  return not dirty or tonumber(dirty) <= new.stamp
end

-- Writes the segments and the readiness from the record, unless Redis has another signup of the same customer.
local function restore_edits(keys, entry_id, tags, readiness, ticket, queue_rank, hold, is_restored)
  if not (tags or keys.not_ready) then return end
  local present = hold and hold.ticket or queue_rank and ticket_of(keys, entry_id, queue_rank)
  local is_same_stay = present == ticket
  if not is_restored and (not is_same_stay or hold and hold.state == 'done') then return end
  if tags then reindex(keys, entry_id, tags, queue_rank, not is_same_stay) end
  accept_readiness(keys, entry_id, readiness, not is_same_stay)
end

-- Restores an entry as its record says: waiting, claimed, with an offer, or parked (set aside for an operator).
local function restore_place(keys, entry_id, new, queue_rank, time_millis)
  if queue_rank then
    -- Remove the entry first, because its own old rank must not block the new one.
    remove_waiting(keys, entry_id)
    leave_segments(keys, entry_id, queue_rank)
  end
  if new.state == 'waiting' then return requeue(keys, entry_id, new, new.rank) end
  redis.call('HDEL', keys.tickets_of_moved, entry_id)
  redis.call('HDEL', keys.attempts, entry_id)
  if new.state == 'parked' then
    no_longer_held(keys, entry_id)
    redis.call('ZADD', keys.parked, time_millis, entry_id)
  else
    redis.call('ZREM', keys.parked, entry_id)
    hold_until(keys, entry_id, new.state, time_millis)
  end
  write_hold(keys, entry_id, new)
  write_payment(keys, entry_id, new)
  return new.rank
end
