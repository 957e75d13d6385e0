-- Ends expired holds. The entry returns to its old place, or is parked after too many attempts. For an offer that its
-- customer did not accept in time, the setting `no_show` decides. The decision has the stamp of this run, which may be
-- later than the deadline, because everything that happened to the entry in between has earlier stamps. The decision
-- stores the deadline as its `at`.
local EXPIRED_AT_ONCE = 200

local function end_hold(keys, entry_id, hold, deadline, no_show, max_attempts, stamp)
  local is_offer = hold.state == 'offered'
  hold.stamp = stamp
  give_back(keys, entry_id, hold)
  if is_offer then redis.call('HINCRBY', keys.meta, 'no_shows', 1) end
  if is_offer and no_show == 'leave' then
    -- Maintenance takes the entry off the list, because the record must also have the leave.
    no_longer_held(keys, entry_id)
    hold.state = 'no_show'
    write_hold(keys, entry_id, hold)
    return decide(keys, entry_id, 'abandoned', hold, '', deadline)
  end
  if is_offer and no_show == 'to_back' then
    hold.rank = requeue(keys, entry_id, hold, 255 * TIER + stamp)
    return decide(keys, entry_id, 'no_show', hold, '', deadline)
  end
  hold.attempts = hold.attempts + 1
  if hold.attempts >= max_attempts then
    park(keys, entry_id, hold, deadline)
    return decide(keys, entry_id, is_offer and 'no_show_parked' or 'worn_out', hold, '', deadline)
  end
  hold.rank = requeue(keys, entry_id, hold, hold.rank)
  decide(keys, entry_id, is_offer and 'no_show' or 'expired', hold, '', deadline)
end

-- Ends expired holds. Returns whether all of them have ended, because one call ends only a limited number, and the
-- stamp if the function drew one.
local function end_expired(keys, max_attempts, now)
  local millis = math.floor(micros(now) / 1000)
  if not has_expired_holds(keys, now) then return true end
  local expired = redis.call('ZRANGEBYSCORE', keys.held, '-inf', millis,
    'WITHSCORES', 'LIMIT', 0, EXPIRED_AT_ONCE)
  -- Draw two stamps, because an offer that ends in a parking has two events, which must have different stamps.
  local stamp = next_stamp(keys, now, next_stamp(keys, now))
  local no_show = redis.call('HGET', keys.meta, 'no_show')
  local holds = {}
  for i = 1, #expired, 2 do
    local hold = read_hold(keys, expired[i])
    hold.entry_id, hold.deadline = expired[i], tonumber(expired[i + 1])
    holds[#holds + 1] = hold
  end
  -- All offers of a run have the same deadline. Sorting by rank keeps the order of entries that move to the back.
  table.sort(holds, function(a, b)
    if a.deadline ~= b.deadline then return a.deadline < b.deadline end
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.entry_id < b.entry_id
  end)
  for i, hold in ipairs(holds) do
    -- Each entry that moves to the back needs its own rank.
    if i > 1 and no_show == 'to_back' then stamp = next_stamp(keys, now, stamp) end
    end_hold(keys, hold.entry_id, hold, hold.deadline, no_show, max_attempts, stamp)
  end
  return #expired < 2 * EXPIRED_AT_ONCE, stamp
end
