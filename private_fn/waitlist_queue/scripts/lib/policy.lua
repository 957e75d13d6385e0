-- NEEDS inside

-- The functions in this file compute how many customers an admission policy may admit now, and when it may admit more.
-- A slot is permission to admit one customer. `policy` is the table that read_policy returns.
local MINUTE = 60000000 -- microseconds
local DAY = 86400 -- seconds
local ENDED_AT_ONCE = 1000 -- passes; if there are more, their customers count as inside until the next run

local function read_policy(keys, now)
  local names = {'rate_count', 'rate_millis', 'rate_counts', 'rate_version', 'bucket_at', 'left_over',
    'schedule_version', 'scheduled', 'scheduled_until', 'recorded_until', 'combine', 'max_inside', 'offer_seconds',
    'pass_seconds', 'acceptance', 'quota', 'quota_open', 'quota_number', 'quota_offer_seconds', 'has_hours',
    'presence_seconds', 'until_millis'}
  local values, policy = redis.call('HMGET', keys.meta, unpack(names)), {}
  for i, name in ipairs(names) do policy[name] = tonumber(values[i]) or values[i] end
  -- These defaults apply to a waitlist that has never had a policy or a quota.
  policy.bucket_at, policy.scheduled = policy.bucket_at or now, policy.scheduled or 0
  policy.scheduled_until = policy.scheduled_until or 0
  policy.quota, policy.quota_open = policy.quota or 0, policy.quota_open or 0
  policy.quota_offer_seconds = tonumber(policy.quota_offer_seconds) or policy.offer_seconds
  policy.quota_number, policy.rate_version = policy.quota_number or 0, policy.rate_version or 0
  policy.schedule_version = policy.schedule_version or 0
  policy.is_over = type(policy.until_millis) == 'number' and now / 1000 >= policy.until_millis
  policy.has_rate, policy.has_schedule = type(policy.rate_count) == 'number', policy.schedule_version > 0
  policy.has_limit = policy.has_rate or policy.has_schedule or type(policy.max_inside) == 'number'
  if policy.has_rate then policy.micros_of_slot = policy.rate_millis * 1000 / policy.rate_count end
  policy.is_sum = policy.combine == 'sum' and policy.has_rate and policy.has_schedule
  return policy
end

-- Adds the opening hours to the policy. `hours` lists the opening hours in the form "opens:closes" in milliseconds,
-- earliest first. If all the opening hours have passed, the policy makes no offers.
local function read_hours(policy, hours, millis)
  if not policy.has_hours then return end
  policy.hours = {}
  for opens, closes in string.gmatch(hours, '(%d+):(%d+)') do
    opens, closes = tonumber(opens), tonumber(closes)
    if closes > millis then policy.hours[#policy.hours + 1] = {opens = opens, closes = closes} end
  end
  local first = unpack(policy.hours)
  policy.opens_at = first and first.opens or 0
  policy.is_closed = not first or first.opens > millis
end

-- Returns `deadline`, or the time when the waitlist's admissions end, whichever is earlier.
local function until_over(until_millis, deadline)
  return math.min(tonumber(until_millis or nil) or math.huge, deadline)
end

-- Returns the deadline, in milliseconds, of an offer that is made now and lasts for `seconds`.
--
-- If the opening hours end before the deadline, the offer continues in the next opening hours. An offer for a day or
-- longer does not depend on the hours, because the customer need not answer at once.
--
-- No offer lasts beyond the time when the waitlist's admissions end.
local function offer_end(policy, millis, seconds)
  local deadline = until_over(policy.until_millis, millis + seconds * 1000)
  local now_open, following = unpack(policy.hours or {})
  if not following or seconds >= DAY or deadline <= now_open.closes then return deadline end
  return until_over(policy.until_millis, math.min(following.opens + deadline - now_open.closes, following.closes))
end

-- After a failover, the new Redis server may lack recent writes, and could repeat offers that were already made. To
-- prevent this, the function continues from the state of the schedule in the record if that state is newer than the
-- state in Redis.
local function take_over_counted(policy, until_millis, slots)
  if until_millis <= policy.scheduled_until then return end
  policy.scheduled, policy.scheduled_until, policy.recorded_until = slots, until_millis, until_millis
end

-- Adds the slots of all scheduled times that have passed. `instants` has the form "millis:count".
--
-- When a scheduled time comes, only as many unused slots of earlier times are kept as there are waiting customers. The
-- other unused slots are lost.
local function count_instants(policy, instants, waiting, millis)
  for at, count in string.gmatch(instants, '(%d+):(%d+)') do
    at = tonumber(at)
    if at > policy.scheduled_until and at <= millis then
      policy.scheduled = math.min(policy.scheduled, waiting) + count
      policy.scheduled_until = at
    end
  end
end

-- Returns how many admissions the rate allows now. The rate is a token bucket. It has room for one minute's admissions,
-- so that none are lost if maintenance runs a minute late.
local function rate_due(policy, now)
  local longest = math.max(MINUTE + (policy.left_over or 0), policy.micros_of_slot)
  policy.bucket_at = math.max(policy.bucket_at, now - math.ceil(longest))
  return math.floor(math.max(0, now - policy.bucket_at) * policy.rate_count / (policy.rate_millis * 1000))
end

-- Returns how many microseconds ago the rate's latest slot became available. Returns 0 if there is no rate or nobody is
-- waiting.
local function left_over(keys, policy, now)
  if not policy.has_rate or redis.call('ZCARD', keys.queue) == 0 then return 0 end
  return math.floor(math.max(0, now - policy.bucket_at) % policy.micros_of_slot)
end

-- Removes customers whose pass has expired from the `inside` set. Also frees the reserved places (KEPT) of customers
-- whose admission is no longer pending.
local function end_passes(keys, now)
  local ended = redis.call('ZRANGEBYSCORE', keys.inside, '(' .. KEPT, math.floor(now / 1000), 'LIMIT', 0,
    ENDED_AT_ONCE)
  local kept = redis.call('ZRANGEBYSCORE', keys.inside, KEPT, KEPT, 'LIMIT', 0, ENDED_AT_ONCE)
  for _, entry_id in ipairs(kept) do
    if not redis.call('ZSCORE', keys.dirty, entry_id) then ended[#ended + 1] = entry_id end
  end
  if #ended == 0 then return end
  redis.call('ZREM', keys.inside, unpack(ended))
  redis.call('HDEL', keys.visits, unpack(ended))
end

-- Returns how many more customers may get an offer or be admitted, or nil if `max_inside` is not set.
--
-- Some places are reserved for customers whose admission was recorded late. These places count as taken unless
-- `is_for_kept` is true, which means that the caller needs a place for such a customer.
local function room_of(keys, policy, now, is_for_kept)
  if type(policy.max_inside) ~= 'number' then return nil end
  end_passes(keys, now)
  local inside = is_for_kept and redis.call('ZCOUNT', keys.inside, '(' .. KEPT, '+inf') or
    redis.call('ZCARD', keys.inside)
  return math.max(0, policy.max_inside - inside - redis.call('ZCARD', keys.held))
end

-- Returns how many customers the policy may admit now. If the policy has both a rate and a schedule, this is the
-- smaller of the numbers that they allow, or the sum of these numbers if `combine` is `sum`. The result never exceeds
-- the number of free places inside.
local function slots_due(policy, room, now)
  local rate = policy.has_rate and rate_due(policy, now)
  local scheduled = policy.has_schedule and policy.scheduled
  policy.by_rate, policy.by_quota = rate or 0, math.max(0, policy.quota - policy.quota_open)
  local due = rate or scheduled
  if rate and scheduled then
    due = policy.is_sum and rate + scheduled or math.min(rate, scheduled)
  end
  if policy.is_closed or policy.is_over then return 0 end
  due = due and due + policy.by_quota or room or policy.by_quota
  return room and math.min(due, room) or due
end

-- Returns where the slot for an admission comes from: the quota, the rate, the schedule, or both the rate and the
-- schedule. `number` is the number of the admission in the current run, starting at 1. If the rate counts every offer,
-- it is left out, because an unused slot is never given back to such a rate.
--
-- An admission uses up a slot from the quota first. If `combine` is `sum`, it uses up a slot from the rate before a
-- slot from the schedule, because unused slots of the rate expire after a minute.
local function paid_by(policy, number)
  if number <= policy.by_quota then return 'q' .. policy.quota_number end
  number = number - policy.by_quota
  local paid = ''
  if policy.has_rate and policy.rate_counts == 'entered' and
    (not policy.is_sum or number <= policy.by_rate) then
    paid = 'r' .. policy.rate_version
  end
  if policy.has_schedule and (not policy.is_sum or number > policy.by_rate) then
    paid = paid .. 's' .. policy.schedule_version
  end
  return paid
end

-- Subtracts the latest admissions from the quota, the rate and the schedule.
local function take_due(keys, policy, taken, now)
  local by_quota = math.min(taken, policy.by_quota)
  policy.quota_open = policy.quota_open + by_quota
  local by_rate, scheduled = taken - by_quota, taken - by_quota
  if policy.is_sum then
    by_rate = math.min(by_rate, policy.by_rate)
    scheduled = scheduled - by_rate
  end
  if policy.has_rate then
    policy.bucket_at = policy.bucket_at + math.ceil(by_rate * policy.micros_of_slot)
  end
  if policy.has_schedule then policy.scheduled = policy.scheduled - scheduled end
  redis.call('HSET', keys.meta, 'bucket_at', policy.bucket_at, 'scheduled', policy.scheduled,
    'scheduled_until', policy.scheduled_until, 'recorded_until', policy.recorded_until or 0,
    'quota_open', policy.quota_open,
    'left_over', left_over(keys, policy, now))
end

-- Returns the time, in milliseconds, when the policy may admit the next customer. Returns nil if this time is not
-- known.
local function next_due(keys, policy, room, next_instant, millis)
  if policy.is_over then return nil end
  local rate_at, schedule_at = policy.has_limit and 0 or math.huge, 0
  if policy.has_rate then
    rate_at = math.ceil((policy.bucket_at + policy.micros_of_slot) / 1000)
  end
  if policy.has_schedule and policy.scheduled < 1 then
    schedule_at = tonumber(next_instant) or math.huge
  end
  local at = policy.is_sum and math.min(rate_at, schedule_at) or math.max(rate_at, schedule_at)
  if policy.quota > policy.quota_open then at = 0 end
  local _, first_deadline = unpack(redis.call('ZRANGE', keys.held, 0, 0, 'WITHSCORES'))
  local held = tonumber(first_deadline or math.huge)
  local gives_back = policy.has_schedule or policy.rate_counts == 'entered' or policy.quota > 0
  if gives_back then at = math.min(at, held) end
  if room and room < 1 then
    local _, first_end =
      unpack(redis.call('ZRANGEBYSCORE', keys.inside, '(' .. KEPT, '+inf', 'WITHSCORES', 'LIMIT', 0, 1))
    at = math.max(at, math.min(tonumber(first_end or math.huge), held))
  end
  if policy.is_closed then at = math.max(at, policy.opens_at) end
  return at < math.huge and at or nil
end

-- Makes the next poll run the admission policy. Call this function after a change that allows another admission, for
-- example when an offer has ended.
local function wake(keys)
  if redis.call('HEXISTS', keys.meta, 'admit_at') == 1 then
    redis.call('HSET', keys.meta, 'admit_at', 0)
  end
end
