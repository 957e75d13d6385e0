-- NEEDS decisions holds requeue slots tickets

-- Ends an expired claim or offer. A claimed entry returns to its old place, or is parked (set aside) after too many
-- attempts. After an unused offer, the setting `no_show` decides what happens.
local EXPIRED_AT_ONCE = 200

local function end_hold(keys, entry_id, hold, deadline, no_show, max_attempts, stamp)
  local is_offer = hold.state == 'offered'
  hold.stamp = stamp
  give_back(keys, entry_id, hold)
  if is_offer then redis.call('HINCRBY', keys.meta, 'no_shows', 1) end
  if is_offer and no_show == 'leave' then
    -- Maintenance removes the entry from the waitlist later, because the record must also say that the customer has
    -- left.
    no_longer_held(keys, entry_id)
    hold.state = 'no_show'
    write_hold(keys, entry_id, hold)
    return decide(keys, entry_id, 'abandoned', hold, '', deadline)
  end
  if is_offer and no_show == 'to_back' then
    hold.rank = requeue(keys, entry_id, hold, BACK + stamp)
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

-- Ends a limited number of expired claims and offers. Returns whether all expired claims and offers have been ended,
-- and the logical timestamp of the last change.
local function end_expired(keys, max_attempts, now)
  local millis = math.floor(now / 1000)
  if not has_expired_holds(keys, now) then return true end
  local expired = redis.call('ZRANGEBYSCORE', keys.held, '-inf', millis,
    'WITHSCORES', 'LIMIT', 0, EXPIRED_AT_ONCE)
  -- Draw two stamps, because an offer that ends with a parked entry causes two events. Each event needs its own stamp.
  local stamp = next_stamp(keys, now, next_stamp(keys, now))
  local no_show = redis.call('HGET', keys.meta, 'no_show')
  local holds = {}
  for i = 1, #expired, 2 do
    local hold = read_hold(keys, expired[i])
    hold.entry_id, hold.deadline = expired[i], tonumber(expired[i + 1])
    holds[#holds + 1] = hold
  end
  -- All offers that were made in the same run have the same deadline. Sorting by rank keeps the order of entries that
  -- move to the back.
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
