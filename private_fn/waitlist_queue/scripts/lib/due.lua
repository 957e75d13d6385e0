-- The places that a policy has due, and when it has more. `meta` is what read_policy returns.
local MINUTE = 60000000 -- microseconds
local ENDED_AT_ONCE = 1000 -- passes; those beyond count as inside until the next run

local function read_policy(keys, now)
  local names = {'rate_count', 'rate_millis', 'bucket_at', 'has_schedule', 'scheduled',
    'scheduled_until', 'max_inside', 'offer_seconds', 'pass_seconds', 'acceptance'}
  local values, policy = redis.call('HMGET', keys.meta, unpack(names)), {}
  for i, name in ipairs(names) do policy[name] = tonumber(values[i]) or values[i] end
  -- An order that was made before there were policies has had nothing due.
  policy.bucket_at, policy.scheduled = policy.bucket_at or now, policy.scheduled or 0
  policy.scheduled_until = policy.scheduled_until or 0
  return policy
end

-- Lets the instants up to now count, each "millis:count": once, also if they are late. Places beyond the entries
-- that wait lapse when the next instant comes.
local function count_instants(policy, instants, waiting, millis)
  for at, count in string.gmatch(instants, '(%d+):(%d+)') do
    at = tonumber(at)
    if at > policy.scheduled_until and at <= millis then
      policy.scheduled = math.min(policy.scheduled, waiting) + count
      policy.scheduled_until = at
    end
  end
end

-- Returns how many places the rate has due. The bucket holds the places of a minute, or one.
local function rate_due(policy, now)
  local count, period = policy.rate_count, policy.rate_millis * 1000
  local size = math.max(1, math.floor(MINUTE * count / period))
  local due = math.floor(math.max(0, now - policy.bucket_at) * count / period)
  if due > size then
    due, policy.bucket_at = size, now - math.ceil(size * period / count)
  end
  return due
end

-- Returns how many customers may get an offer or come inside, or nil if there is no limit.
local function room_of(keys, policy, now)
  if type(policy.max_inside) ~= 'number' then return nil end
  local ended = redis.call('ZRANGEBYSCORE', keys.inside, '-inf', math.floor(now / 1000), 'LIMIT', 0,
    ENDED_AT_ONCE)
  if ended[1] then
    redis.call('ZREM', keys.inside, unpack(ended))
    redis.call('HDEL', keys.visits, unpack(ended))
  end
  return math.max(0, policy.max_inside - redis.call('ZCARD', keys.inside) -
    redis.call('ZCARD', keys.held))
end

-- Returns the fewest places of rate, schedule and room; none if the policy has none of the three.
local function places_due(policy, room, now)
  local due
  if type(policy.rate_count) == 'number' then due = rate_due(policy, now) end
  if policy.has_schedule == 1 then due = math.min(due or policy.scheduled, policy.scheduled) end
  if room then due = math.min(due or room, room) end
  return due or 0
end

local function take_due(policy, taken)
  if type(policy.rate_count) == 'number' then
    local period = policy.rate_millis * 1000
    policy.bucket_at = policy.bucket_at + math.ceil(taken * period / policy.rate_count)
  end
  if policy.has_schedule == 1 then policy.scheduled = policy.scheduled - taken end
end

-- Returns the millisecond at which rate, schedule and room all have a place again, or nil if only a change of the
-- settings or an exit can bring that.
local function next_due(keys, policy, room, next_instant, millis)
  local at = 0
  if type(policy.rate_count) == 'number' then
    at = math.ceil((policy.bucket_at + policy.rate_millis * 1000 / policy.rate_count) / 1000)
  end
  if policy.has_schedule == 1 and policy.scheduled < 1 then
    if next_instant == '' then return nil end
    at = math.max(at, tonumber(next_instant))
  end
  if room and room < 1 then
    local inside = redis.call('ZRANGE', keys.inside, 0, 0, 'WITHSCORES')[2]
    local held = redis.call('ZRANGE', keys.held, 0, 0, 'WITHSCORES')[2]
    at = math.max(at, math.min(tonumber(inside or math.huge), tonumber(held or math.huge)))
  end
  return at
end
