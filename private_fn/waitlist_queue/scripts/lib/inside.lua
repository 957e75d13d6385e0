-- The customers inside. The sorted set `inside` has the millisecond at which the pass of each customer ends, and the
-- hash `visits` has the ticket of the stay that was admitted. Two scores in `inside` are markers and not times. KEPT
-- marks a place that is reserved for an admission whose time inside begins later (see renew.lua). LEFT_DURING_REBUILD
-- marks a customer who left during a rebuild (see exit.lua).
local KEPT, LEFT_DURING_REBUILD = 0, 1

local function put_inside(keys, entry_id, ticket, until_millis)
  redis.call('ZADD', keys.inside, until_millis, entry_id)
  redis.call('HSET', keys.visits, entry_id, ticket)
end

-- Ends the visit of a customer, and returns whether the customer was inside.
local function take_outside(keys, entry_id)
  redis.call('HDEL', keys.visits, entry_id)
  return redis.call('ZREM', keys.inside, entry_id) == 1
end

-- Returns the ticket of the stay through which a customer is inside, or nil.
local function visit_of(keys, entry_id)
  return tonumber(redis.call('HGET', keys.visits, entry_id) or nil)
end
