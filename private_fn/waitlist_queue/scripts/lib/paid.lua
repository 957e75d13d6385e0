-- The slots that pay for an offer. A hold names them, so that the script that ends the hold without an admission can
-- give them back once. "s3" is a slot of the schedule, "r4" a slot of a rate that counts customers who enter, and "q2"
-- a slot of a quota. The number is the version of the schedule or rate, or the number of the quota, so that a later one
-- does not get back the slots of an earlier one. A hold that was restored from its record names no slots, because
-- another entry may already have got the slot that the lost order gave back. "e" marks an admission that came from an
-- offer, so its customer counts as entered.

local function is_entered(hold)
  return string.find(hold.paid, 'e', 1, true)
end

-- Returns whether the current quota paid for a hold.
local function is_paid_by_quota(keys, hold)
  local number = string.match(hold.paid, 'q(%d+)')
  return number and number == (redis.call('HGET', keys.meta, 'quota_number') or '0')
end

-- Returns the slots that paid for a hold to the rate, the schedule or the quota, and lets the next poll trigger a run.
local function give_back(keys, entry_id, hold)
  local paid = hold.paid
  if paid == '' then return end
  redis.call('HDEL', keys.claims, entry_id .. PAID)
  if is_paid_by_quota(keys, hold) then
    -- If the hold is done, the quota has already counted the admission.
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

-- Removes an admission from the counters, because the admission was not valid.
local function uncount_admission(keys, hold)
  redis.call('HINCRBY', keys.meta, 'admitted', -1)
  if is_entered(hold) then redis.call('HINCRBY', keys.meta, 'entered', -1) end
end

-- Counts an admission against the quota that paid for its offer.
local function use_up(keys, hold)
  if not is_paid_by_quota(keys, hold) then return end
  redis.call('HINCRBY', keys.meta, 'quota', -1)
  redis.call('HINCRBY', keys.meta, 'quota_open', -1)
end
