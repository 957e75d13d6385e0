-- Entries that are on the list and not in the queue: held by a claim, offered to their customer, parked, done (admitted,
-- and kept until maintenance has reconciled the record), or no_show (an unused offer after which maintenance takes the
-- entry off the list). The claims hash has a hold for each of them:
-- state|token|rank|ticket|attempts|stamp, where the stamp is that of the decision that took the entry out. While a
-- script changes a hold, `basis` and `was` keep the stamp and the rank that it had (see decide). The slots
-- that paid for an offer (see paid) stand in a field of their own, behind its token: a function of the version before
-- reads holds too, and ends them without it.
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

-- Holds an entry until a millisecond: `held` by a claim, or `offered`. A list with `max_claims` has its claims in
-- `claimed` too.
local function hold_until(keys, entry_id, state, deadline)
  redis.call('ZADD', keys.held, deadline, entry_id)
  if not keys.claimed then return end
  if state == 'held' then
    redis.call('ZADD', keys.claimed, deadline, entry_id)
  else
    redis.call('ZREM', keys.claimed, entry_id)
  end
end

-- Ends the time of a hold. The room that the entry has taken is free then, so the next poll triggers a run, unless the
-- entry `keeps_room`.
local function no_longer_held(keys, entry_id, keeps_room)
  local was_held = redis.call('ZREM', keys.held, entry_id) == 1
  if keys.claimed then redis.call('ZREM', keys.claimed, entry_id) end
  if was_held and not keeps_room then wake(keys) end
end

-- Marks an entry whose record may lack the decision of this stamp: maintenance reconciles it within a minute.
local function mark_dirty(keys, entry_id, stamp)
  redis.call('ZADD', keys.dirty, stamp, entry_id)
end

-- Parks an entry for an operator to look at.
local function park(keys, entry_id, hold, millis)
  no_longer_held(keys, entry_id)
  redis.call('ZADD', keys.parked, millis, entry_id)
  hold.state, hold.token = 'parked', ''
  write_hold(keys, entry_id, hold)
end
