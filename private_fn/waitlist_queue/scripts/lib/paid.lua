-- The hold of an offered entry records the slots that were used for the offer. If the offer ends without an admission,
-- these slots are returned to the schedule, rate or quota that they came from. "s3" is a slot of the schedule, "r4" is
-- a slot of the rate, and "q2" is a slot of a quota. A slot of the rate is recorded only if the rate counts customers
-- who enter. The number is the version of the schedule or rate, or the number of the quota, because slots are not
-- returned to a later schedule, rate or quota. "e" means that the customer was admitted through an offer and counts as
-- entered. A hold that was restored from a record has no slots, because Redis may have returned them before its data
-- was lost.

local function is_entered(hold)
  return string.find(hold.paid, 'e', 1, true)
end

-- Returns whether a slot of the current quota was used for this offer.
local function is_paid_by_quota(keys, hold)
  local number = string.match(hold.paid, 'q(%d+)')
  return number and number == (redis.call('HGET', keys.meta, 'quota_number') or '0')
end

-- Returns each slot that was used for this offer to the rate, schedule or quota that it came from. The next poll
-- then triggers a run of the admission policy.
local function give_back(keys, entry_id, hold)
  local paid = hold.paid
  if paid == '' then return end
  redis.call('HDEL', keys.claims, entry_id .. PAID)
  if is_paid_by_quota(keys, hold) then
    -- If the customer was admitted, the admission has already been subtracted from the quota.
    redis.call('HINCRBY', keys.meta, hold.state == 'done' and 'quota' or 'quota_open',
      hold.state == 'done' and 1 or -1)
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

-- Subtracts an admission from the counters, because the admission was not valid.
local function uncount_admission(keys, hold)
  redis.call('HINCRBY', keys.meta, 'admitted', -1)
  if is_entered(hold) then redis.call('HINCRBY', keys.meta, 'entered', -1) end
end

-- Subtracts an admission from the quota, if a slot of the current quota was used for the offer.
local function use_up(keys, hold)
  if not is_paid_by_quota(keys, hold) then return end
  redis.call('HINCRBY', keys.meta, 'quota', -1)
  redis.call('HINCRBY', keys.meta, 'quota_open', -1)
end
