-- Entries that are on the list but not in the queue. They are `held` by a claim, `offered` to their customer, `parked`,
-- `done` (admitted, and kept until maintenance has reconciled the record), or `no_show` (maintenance is about to take
-- the entry off the list). The hash `claims` has a hold for each of these entries, as
-- state|token|rank|ticket|attempts|stamp. The stamp is that of the decision that took the entry out of the queue. While
-- a script changes a hold, `basis` and `was` keep the former stamp and rank of the hold (see decide.lua). The slots that
-- paid for an offer (see paid.lua) are stored in a separate field, together with the token of the offer.
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

-- Holds an entry until a millisecond, as `held` by a claim or as `offered`. On a list with `max_claims`, a claim is
-- also added to `claimed`.
local function hold_until(keys, entry_id, state, deadline)
  redis.call('ZADD', keys.held, deadline, entry_id)
  if not keys.claimed then return end
  if state == 'held' then
    redis.call('ZADD', keys.claimed, deadline, entry_id)
  else
    redis.call('ZREM', keys.claimed, entry_id)
  end
end

-- Removes the deadline of a hold. The room that the entry has taken is free afterwards, so the next poll triggers a
-- run, unless `keeps_room` is true.
local function no_longer_held(keys, entry_id, keeps_room)
  local was_held = redis.call('ZREM', keys.held, entry_id) == 1
  if keys.claimed then redis.call('ZREM', keys.claimed, entry_id) end
  if was_held and not keeps_room then wake(keys) end
end

-- Marks an entry whose record may lack the decision with this stamp. Maintenance reconciles the record within a minute.
local function mark_dirty(keys, entry_id, stamp)
  redis.call('ZADD', keys.dirty, stamp, entry_id)
end

-- Parks an entry, so that an operator can look at it.
local function park(keys, entry_id, hold, millis)
  no_longer_held(keys, entry_id)
  redis.call('ZADD', keys.parked, millis, entry_id)
  hold.state, hold.token = 'parked', ''
  write_hold(keys, entry_id, hold)
end
