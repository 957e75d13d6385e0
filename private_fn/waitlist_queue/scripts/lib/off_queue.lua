-- Functions for entries that are on the waitlist but not in the queue. The state of these entries is `held` (by a
-- claim), `offered` (a slot), `parked`, `done` (admitted, until the record contains the admission), or `no_show`
-- (maintenance will remove the entry). The hash `claims` has a hold for each of these entries, as
-- state|token|rank|ticket|attempts|stamp. The stamp is the logical timestamp of the decision that took the entry out of
-- the queue. In memory, `basis` and `was` are the stamp and the rank that the hold had when it was read (see
-- decide.lua). The slots that were used for an offer (see paid.lua) are in a separate field of the hash, together with
-- the token of the offer.
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

-- Sets the deadline of a hold, in milliseconds. If the waitlist has the `max_claims` setting, a claimed entry is also
-- added to the set `claimed`.
local function hold_until(keys, entry_id, state, deadline)
  redis.call('ZADD', keys.held, deadline, entry_id)
  if not keys.claimed then return end
  if state == 'held' then
    redis.call('ZADD', keys.claimed, deadline, entry_id)
  else
    redis.call('ZREM', keys.claimed, entry_id)
  end
end

-- Removes the deadline of a hold. The entry then no longer takes up room, so the next poll triggers a run of the
-- policy. If `keeps_room` is true, the customer still needs the room.
local function no_longer_held(keys, entry_id, keeps_room)
  local was_held = redis.call('ZREM', keys.held, entry_id) == 1
  if keys.claimed then redis.call('ZREM', keys.claimed, entry_id) end
  if was_held and not keeps_room then wake(keys) end
end

-- Marks an entry whose record may lack the decision with this stamp (logical timestamp). Maintenance updates the record
-- within a minute.
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
