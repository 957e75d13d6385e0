-- Lets an entry not be ready for so many seconds; returns the millisecond at which it is again.
local function delay(keys, entry_id, seconds, now)
  local until_millis = math.floor(micros(now) / 1000) + seconds * 1000
  local packed = redis.call('HGET', keys.readiness, entry_id)
  write_readiness(keys, entry_id, packed, with_delay(packed or '0', until_millis))
  return until_millis
end
