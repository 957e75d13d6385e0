-- NEEDS holds int_text readiness requeue segments waiting

-- Returns whether an entry's place in the record may replace its place in Redis. The Python class `Restore` explains
-- the `when` argument.
local function may_restore(keys, entry_id, when, expected, is_hydrating, new, present)
  if not present then return true end
  if when == 'unchanged' then return expected == present.state .. ':' .. int_text(present.rank) end
  if when ~= 'older' or not is_hydrating then return false end
  -- If Redis has just admitted the customer, the record does not contain this admission yet.
  if present.state == 'done' and present.ticket == new.ticket then return false end
  if new.state == 'waiting' and present.state == 'waiting' and present.rank == new.rank then return false end
  if present.stamp > new.stamp then return false end
  local dirty = redis.call('ZSCORE', keys.dirty, entry_id)
  return not dirty or tonumber(dirty) <= new.stamp
end

-- Copies an entry's segments, and the reasons why it is not ready, from the record to Redis. Copies nothing if the
-- entry in Redis belongs to a different signup.
local function restore_edits(keys, entry_id, tags, readiness, ticket, present, is_restored)
  local is_same_stay = present and present.ticket == ticket
  if not is_restored and (not is_same_stay or present.state == 'done') then return end
  local rank = present and present.state == 'waiting' and present.rank
  if tags then reindex(keys, entry_id, tags, rank, not is_same_stay) end
  accept_readiness(keys, entry_id, readiness, not is_same_stay)
end

-- Restores an entry as its record says: waiting, claimed, offered a slot, or parked (set aside for an operator).
local function restore_place(keys, entry_id, new, present, time_millis)
  if present and present.state == 'waiting' then
    -- Remove the entry from the queue first, because its own old rank must not count as taken.
    remove_waiting(keys, entry_id)
    leave_segments(keys, entry_id, present.rank)
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
