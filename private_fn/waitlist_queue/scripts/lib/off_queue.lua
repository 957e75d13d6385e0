-- NEEDS wake

-- The hash `claims` has an item for each entry that is on the waitlist but not in the queue:
-- state|token|rank|ticket|attempts|stamp. The item is called the hold of the entry. The stamp is the logical timestamp
-- at which the entry was taken out of the queue.
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

-- Sets the deadline of a claim or an offer, in milliseconds.
local function hold_until(keys, entry_id, state, deadline)
  redis.call('ZADD', keys.held, deadline, entry_id)
  if not keys.claimed then return end
  if state == 'held' then
    redis.call('ZADD', keys.claimed, deadline, entry_id)
  else
    redis.call('ZREM', keys.claimed, entry_id)
  end
end

-- Removes the deadline of a claim or an offer. Unless `keeps_room` is true, another customer may take the place, so the
-- next poll triggers a run of the admission policy.
local function no_longer_held(keys, entry_id, keeps_room)
  local was_held = redis.call('ZREM', keys.held, entry_id) == 1
  if keys.claimed then redis.call('ZREM', keys.claimed, entry_id) end
  if was_held and not keeps_room then wake(keys) end
end

-- Marks an entry whose record may lack the decision with this logical timestamp. Maintenance updates the record within
-- a minute.
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
