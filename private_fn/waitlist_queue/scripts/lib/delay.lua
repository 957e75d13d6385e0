-- Lets an entry not be ready for so many seconds; returns the millisecond at which it is again.
local function delay(keys, entry_id, seconds, now)
  local until_millis = math.floor(micros(now) / 1000) + seconds * 1000
  write_readiness(keys, entry_id, with_delay(redis.call('HGET', keys.readiness, entry_id) or '0', until_millis))
  return until_millis
end
