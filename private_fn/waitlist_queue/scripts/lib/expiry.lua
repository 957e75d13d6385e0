-- NEEDS decisions holds requeue slots tickets

local EXPIRED_AT_ONCE = 200

-- Returns what happens to an entry whose claim or offer has expired: `leave`, `to_back`, `park` or `keep_place`.
--
-- The `no_show` setting says what happens after a missed offer. The `misses` setting can override it after several
-- missed offers.
--
-- An expired claim counts as an attempt, and an entry with too many attempts is parked. A missed offer counts as an
-- attempt only if the waitlist has the `misses` setting, or if `no_show` is `keep_place`.
local function after_end(hold, ends)
  local is_offer = hold.state == 'offered'
  if is_offer and not ends.misses and ends.no_show ~= 'keep_place' then return ends.no_show end
  hold.attempts = hold.attempts + 1
  if is_offer and ends.misses then
    return hold.attempts >= ends.misses and ends.after_misses or ends.no_show
  end
  return hold.attempts >= ends.max_attempts and 'park' or 'keep_place'
end

-- Ends an expired claim or offer.
local function end_hold(keys, entry_id, hold, deadline, ends, stamp)
  local is_offer = hold.state == 'offered'
  -- The token of an offer contains the id of its invitation.
  local token = is_offer and hold.token or ''
  hold.stamp = stamp
  give_back(keys, entry_id, hold)
  if is_offer then redis.call('HINCRBY', keys.meta, 'no_shows', 1) end
  local after = after_end(hold, ends)
  if after == 'leave' then
    -- Maintenance removes the entry from the waitlist later, because the record must also say that the customer has
    -- left.
    no_longer_held(keys, entry_id)
    hold.state = 'no_show'
    write_hold(keys, entry_id, hold)
    return decide(keys, entry_id, 'abandoned', hold, token, deadline)
  end
  if after == 'park' then
    park(keys, entry_id, hold, deadline)
    return decide(keys, entry_id, is_offer and 'no_show_parked' or 'worn_out', hold, token, deadline)
  end
  hold.rank = requeue(keys, entry_id, hold, after == 'to_back' and BACK + stamp or hold.rank)
  decide(keys, entry_id, is_offer and 'no_show' or 'expired', hold, token, deadline)
end

-- Ends a limited number of expired claims and offers. Returns whether all of them have now been ended, and the logical
-- timestamp of the last change.
local function end_expired(keys, max_attempts, now)
  local millis = math.floor(now / 1000)
  if not has_expired_holds(keys, now) then return true end
  local expired = redis.call('ZRANGEBYSCORE', keys.held, '-inf', millis,
    'WITHSCORES', 'LIMIT', 0, EXPIRED_AT_ONCE)
  -- Draw two stamps (logical timestamps). If the end of an offer parks the entry, it causes two events, and each event
  -- needs its own stamp.
  local stamp = next_stamp(keys, now, next_stamp(keys, now))
  local no_show, misses_at_most, misses_then =
    unpack(redis.call('HMGET', keys.meta, 'no_show', 'misses_at_most', 'misses_then'))
  local ends = {no_show = no_show, misses = tonumber(misses_at_most or nil), after_misses = misses_then,
    max_attempts = max_attempts}
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
    -- Every entry that moves to the back of the queue needs its own rank.
    if i > 1 and no_show == 'to_back' then stamp = next_stamp(keys, now, stamp) end
    end_hold(keys, hold.entry_id, hold, hold.deadline, ends, stamp)
  end
  return #expired < 2 * EXPIRED_AT_ONCE, stamp
end
