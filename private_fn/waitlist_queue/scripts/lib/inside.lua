-- Customers inside: `inside` has the millisecond at which the pass ends, `visits` the ticket of the stay that was
-- admitted. An order of an earlier version has no tickets. Two ends are no times: that of a place that is kept for an
-- admission whose time inside begins later (see renew), and that of a customer who has left during a rebuild (see exit).
local KEPT, LONG_AGO = 0, 1

local function put_inside(keys, entry_id, ticket, until_millis)
  redis.call('ZADD', keys.inside, until_millis, entry_id)
  redis.call('HSET', keys.visits, entry_id, ticket)
end

-- Returns whether the customer was inside.
local function take_outside(keys, entry_id)
  redis.call('HDEL', keys.visits, entry_id)
  return redis.call('ZREM', keys.inside, entry_id) == 1
end

-- Returns the ticket of the stay by which a customer is inside, or nil.
local function visit_of(keys, entry_id)
  return tonumber(redis.call('HGET', keys.visits, entry_id) or nil)
end
