-- NEEDS holds policy

-- The slot for an offer comes from the rate, the schedule or the quota. Each offer stores where its slot came from, so
-- that the slot can be given back if the offer is not used.
--
-- The source of the slot is stored as a short text. For example, "s3" means version 3 of the schedule, "r4" means
-- version 4 of the rate, and "q2" means the second quota. If the text contains the letter "e", the customer has
-- entered.

local function is_entered(hold)
  return string.find(hold.paid, 'e', 1, true)
end

-- Returns whether this offer's slot came from the current quota. A quota allows offers until a given number of people
-- have entered.
local function is_paid_by_quota(keys, hold)
  local number = string.match(hold.paid, 'q(%d+)')
  return number and number == (redis.call('HGET', keys.meta, 'quota_number') or '0')
end

-- Gives an unused offer's slot back to the rate, the schedule or the quota that it came from. The next poll then runs
-- the admission policy.
local function give_back(keys, entry_id, hold)
  local paid = hold.paid
  if paid == '' then return end
  redis.call('HDEL', keys.claims, entry_id .. PAID)
  if is_paid_by_quota(keys, hold) then
    -- If the customer was admitted, the admission has already been subtracted from the quota.
    if hold.state == 'done' then
      redis.call('HINCRBY', keys.meta, 'quota', 1)
      redis.call('HINCRBY', keys.meta, 'quota_entered', -1)
    else
      redis.call('HINCRBY', keys.meta, 'quota_open', -1)
    end
  end
  local schedule_version, counts, version, count, millis = unpack(redis.call('HMGET', keys.meta, 'schedule_version',
    'rate_counts', 'rate_version', 'rate_count', 'rate_millis'))
  if string.match(paid, 's(%d+)') == schedule_version then
    redis.call('HINCRBY', keys.meta, 'scheduled', 1)
  end
  if counts == 'entered' and string.match(paid, 'r(%d+)') == version then
    redis.call('HINCRBY', keys.meta, 'bucket_at', -math.floor(millis * 1000 / count))
  end
  hold.paid = ''
  wake(keys)
end

-- Subtracts an admission that has turned out to be invalid from the waitlist's counters.
local function uncount_admission(keys, hold)
  redis.call('HINCRBY', keys.meta, 'admitted', -1)
  if is_entered(hold) then redis.call('HINCRBY', keys.meta, 'entered', -1) end
end

-- Counts an admission towards the current quota, if the offer's slot came from this quota.
local function use_up(keys, hold)
  if not is_paid_by_quota(keys, hold) then return end
  redis.call('HINCRBY', keys.meta, 'quota', -1)
  redis.call('HINCRBY', keys.meta, 'quota_entered', 1)
  redis.call('HINCRBY', keys.meta, 'quota_open', -1)
end
