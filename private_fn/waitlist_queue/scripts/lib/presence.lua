-- NEEDS pop readiness reasons segments tickets waiting

-- If the waitlist has the `presence` setting, the `last_polls` hash contains the time of the last poll for entries near
-- the head of the queue and for entries with an offer. An entry that is not in the hash counts as present.
--
-- The times are seconds since 2020. Redis needs fewer bytes for these small numbers than for times since 1970.
local WATCHED = 200 -- the number of ready entries at the head of the queue whose polls are stored
local MOST_POLLS = 400 -- a hash with more than 512 fields takes three times as many bytes in Redis

local function poll_second(now)
  return math.floor((now - EPOCH_MICROS) / 1000000)
end

-- Stores when a customer polled. If the hash has too many polls, keeps only those of the first entries in the queue.
local function note_poll(keys, entry_id, now)
  local is_new = redis.call('HSET', keys.last_polls, entry_id, poll_second(now)) == 1
  if not is_new or redis.call('HLEN', keys.last_polls) <= MOST_POLLS then return end
  local first = redis.call('ZRANGE', keys.queue, 0, WATCHED - 1)
  local polls = #first > 0 and redis.call('HMGET', keys.last_polls, unpack(first)) or {}
  redis.call('UNLINK', keys.last_polls)
  for i, watched in ipairs(first) do
    if polls[i] then redis.call('HSET', keys.last_polls, watched, polls[i]) end
  end
end

-- Removes the `away` reason from an entry, for example because its customer has polled again. If the entry has no other
-- reason, it becomes ready. Returns the remaining reasons in the form in which Redis stores them.
local function end_absence(keys, entry_id)
  local packed = redis.call('HGET', keys.readiness, entry_id)
  if not packed or not is_away(packed) then return packed end
  local present = without_away(packed)
  write_readiness(keys, entry_id, packed, present)
  return present
end

local ABSENCES_AT_ONCE = 200

-- If the waitlist no longer has the `presence` setting, customers no longer count as away. Removes the `away` reason
-- from a limited number of entries. Returns true if no such entries are left.
local function end_absences(keys)
  local away = redis.call('ZRANGEBYSCORE', keys.ready_at, '+inf', '+inf', 'LIMIT', 0, ABSENCES_AT_ONCE)
  for _, entry_id in ipairs(away) do end_absence(keys, entry_id) end
  return #away < ABSENCES_AT_ONCE
end

-- Puts an entry back into the queue at its former rank, and marks it as not ready because the customer is away (has
-- stopped polling).
local function pass_over(keys, entry)
  local packed = redis.call('HGET', keys.readiness, entry.entry_id)
  write_readiness(keys, entry.entry_id, packed, with_away(packed or '0'))
  add_waiting(keys, entry.entry_id, entry.rank, false)
  enter_segments(keys, entry.entry_id, entry.rank, false)
end

-- Takes entries from the queue as pop_preferred does, but passes over the entries of customers who have stopped
-- polling. An entry without a stored poll is never passed over, because Redis stores the polls of at most MOST_POLLS
-- customers.
local function pop_present(keys, filters, count, presence_seconds, now)
  local popped, taken = pop_preferred(keys, filters, false, count), {}
  if not presence_seconds then return popped end
  local oldest = poll_second(now) - presence_seconds
  while #popped > 0 do
    local ids, passed_over = {}, 0
    for i, entry in ipairs(popped) do ids[i] = entry.entry_id end
    local polls = redis.call('HMGET', keys.last_polls, unpack(ids))
    for i, entry in ipairs(popped) do
      if polls[i] and tonumber(polls[i]) < oldest then
        passed_over = passed_over + 1
        pass_over(keys, entry)
      else
        taken[#taken + 1] = entry
      end
    end
    if passed_over > 0 then use_readiness(keys, false, AWAY) end
    popped = passed_over > 0 and pop_preferred(keys, filters, false, passed_over) or {}
  end
  return taken
end
