-- The score of a customer in the `inside` sorted set is usually the time, in milliseconds, when the customer's pass
-- ends. Two scores have a special meaning. KEPT reserves a place for a customer whose admission is recorded late.
-- LEFT_DURING_REBUILD marks a customer who left during a rebuild of the queue.
local KEPT, LEFT_DURING_REBUILD = 0, 1

local function put_inside(keys, entry_id, ticket, until_millis)
  redis.call('ZADD', keys.inside, until_millis, entry_id)
  redis.call('HSET', keys.visits, entry_id, ticket)
end

-- Removes a customer from the `inside` set. Returns true if the customer was in the set.
local function take_outside(keys, entry_id)
  redis.call('HDEL', keys.visits, entry_id)
  return redis.call('ZREM', keys.inside, entry_id) == 1
end

-- Returns the ticket of the admitted signup if the customer is inside, or nil otherwise.
local function visit_of(keys, entry_id)
  return tonumber(redis.call('HGET', keys.visits, entry_id) or nil)
end
