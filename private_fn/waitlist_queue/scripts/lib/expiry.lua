-- Ends holds whose lease is over: back to the old place, or parked after too many attempts.
local EXPIRED_AT_ONCE = 200

local function end_hold(keys, entry_id, deadline, max_attempts, millis, stamp)
  local hold = read_hold(keys, entry_id)
  local ended = math.min(stamp, ticket_after(hold.stamp, deadline * 1000))
  hold.attempts, hold.stamp = hold.attempts + 1, stamp
  if hold.attempts >= max_attempts then
    park(keys, entry_id, hold, millis)
    decide(keys, entry_id, 'worn_out', hold, '', millis)
  else
    hold.rank = requeue(keys, entry_id, hold, hold.rank)
    decide(keys, entry_id, 'expired', hold, '', ended)
  end
end

-- Returns whether all expired holds have ended (one call ends a bounded number), and the stamp if it drew one.
local function end_expired(keys, max_attempts, now)
  local millis = math.floor(micros(now) / 1000)
  if redis.call('ZCOUNT', keys.held, '-inf', millis) == 0 then return true end
  local expired = redis.call('ZRANGEBYSCORE', keys.held, '-inf', millis,
    'WITHSCORES', 'LIMIT', 0, EXPIRED_AT_ONCE)
  local stamp = next_stamp(keys, now)
  for i = 1, #expired, 2 do
    end_hold(keys, expired[i], tonumber(expired[i + 1]), max_attempts, millis, stamp)
  end
  return #expired < 2 * EXPIRED_AT_ONCE, stamp
end
