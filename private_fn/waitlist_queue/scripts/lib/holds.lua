-- NEEDS policy tickets

-- An entry that is on the waitlist but not in the queue has a hold in the `claims` hash. The hold says why the entry is
-- not in the queue, for example because it is claimed, offered a slot or parked.
--
-- A hold has the form "state|token|rank|ticket|attempts|stamp". The stamp is the logical timestamp at which the entry
-- was taken out of the queue.
local PAID = ':paid'

local function read_hold(keys, entry_id)
  local packed, payment = unpack(redis.call('HMGET', keys.claims, entry_id, entry_id .. PAID))
  if not packed then return nil end
  local state, token, rank, ticket, attempts, stamp =
    string.match(packed, '([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)')
  local payer, paid = string.match(payment or '', '(%w+) (.*)')
  return {state = state, token = token, rank = tonumber(rank), ticket = tonumber(ticket),
    attempts = tonumber(attempts), stamp = tonumber(stamp), paid = payer == token and paid or '',
    basis = tonumber(stamp), was = tonumber(rank)}
end

local function write_hold(keys, entry_id, hold)
  redis.call('HSET', keys.claims, entry_id, string.format('%s|%s|%d|%d|%d|%d',
    hold.state, hold.token, hold.rank, hold.ticket, hold.attempts, hold.stamp))
end

local function write_payment(keys, entry_id, hold)
  if (hold.paid or '') == '' then return end
  redis.call('HSET', keys.claims, entry_id .. PAID, hold.token .. ' ' .. hold.paid)
end

local function delete_hold(keys, entry_id)
  redis.call('HDEL', keys.claims, entry_id, entry_id .. PAID)
end

-- Stores the deadline of a claim or an offer, in milliseconds.
local function hold_until(keys, entry_id, state, deadline)
  redis.call('ZADD', keys.held, deadline, entry_id)
  if not keys.claimed then return end
  if state == 'held' then
    redis.call('ZADD', keys.claimed, deadline, entry_id)
  else
    redis.call('ZREM', keys.claimed, entry_id)
  end
end

-- Removes the deadline of a claim or an offer that has ended. `keeps_room` is true if the customer was admitted. If
-- `keeps_room` is false, another customer may now be offered a slot, so the next poll runs the admission policy.
local function no_longer_held(keys, entry_id, keeps_room)
  local was_held = redis.call('ZREM', keys.held, entry_id) == 1
  if keys.claimed then redis.call('ZREM', keys.claimed, entry_id) end
  if was_held and not keeps_room then wake(keys) end
end

-- Marks an entry that was changed at the logical timestamp `stamp`, because its record may not contain this change yet.
-- Maintenance updates the record within a minute.
local function mark_dirty(keys, entry_id, stamp)
  redis.call('ZADD', keys.dirty, stamp, entry_id)
end

-- Parks an entry: sets the entry aside until an operator brings it back.
local function park(keys, entry_id, hold, millis)
  no_longer_held(keys, entry_id)
  redis.call('ZADD', keys.parked, millis, entry_id)
  hold.state, hold.token = 'parked', ''
  write_hold(keys, entry_id, hold)
end

-- Creates and returns a claim or an offer for an entry. The caller has already removed the entry from the queue.
local function start_hold(keys, entry_id, rank, state, token, deadline, stamp, paid)
  local ticket = redis.call('HGET', keys.tickets_of_moved, entry_id)
  local attempts = redis.call('HGET', keys.attempts, entry_id)
  if ticket then redis.call('HDEL', keys.tickets_of_moved, entry_id) end
  if attempts then redis.call('HDEL', keys.attempts, entry_id) end
  hold_until(keys, entry_id, state, deadline)
  local hold = {state = state, token = token, rank = rank, ticket = tonumber(ticket) or rank % TIER,
    attempts = tonumber(attempts or 0), stamp = stamp, paid = paid or '', was = rank}
  write_hold(keys, entry_id, hold)
  write_payment(keys, entry_id, hold)
  return hold
end

-- Returns an entry's claim. Returns nil and an error code if the entry has no claim with this token. Returns the claim
-- and the word `completed` if the customer has already been admitted with this token.
local function check_token(keys, entry_id, token, now)
  local hold = read_hold(keys, entry_id)
  if not hold or hold.state == 'parked' then return nil, 'not_held' end
  if hold.token ~= token then return nil, 'claim_mismatch' end
  if hold.state == 'done' then return hold, 'completed' end
  local deadline = tonumber(redis.call('ZSCORE', keys.held, entry_id))
  if deadline <= math.floor(now / 1000) then return nil, 'claim_expired' end
  return hold
end

-- Returns an entry's open offer. Returns nil and an error code if there is no open offer. Returns the offer and the
-- word `completed` if the customer has already been admitted.
local function check_offer(keys, entry_id, ticket, token, offered_until_millis, now)
  local hold = read_hold(keys, entry_id)
  if not hold then return nil, 'not_offered' end
  if ticket ~= '' and hold.ticket ~= tonumber(ticket) then return nil, 'not_offered' end
  if token ~= '' and hold.token ~= token then return nil, 'not_offered' end
  if hold.state == 'done' then return hold, 'completed' end
  if hold.state ~= 'offered' then return nil, 'not_offered' end
  local deadline = tonumber(redis.call('ZSCORE', keys.held, entry_id))
  -- If the message is late, the entry may have a newer offer with a different deadline.
  if offered_until_millis ~= '' and deadline ~= tonumber(offered_until_millis) then
    return nil, 'not_offered'
  end
  if deadline <= math.floor(now / 1000) then return nil, 'offer_expired' end
  return hold, nil, deadline
end

-- Returns whether a claim or an offer has expired but has not been ended yet. Until it is ended, positions and counts
-- are wrong, so scripts that return them return `expiring` instead.
local function has_expired_holds(keys, now)
  return redis.call('ZCOUNT', keys.held, '-inf', math.floor(now / 1000)) > 0
end

-- Returns when an entry's claim, offer or pass ends, or when the entry was parked (set aside), in milliseconds. Returns
-- 0 if there is no such time.
local function time_of(keys, entry_id)
  return tonumber(redis.call('ZSCORE', keys.held, entry_id) or
    redis.call('ZSCORE', keys.parked, entry_id) or redis.call('ZSCORE', keys.inside, entry_id) or 0)
end
