-- Delays an entry, so that it is not ready for the given number of seconds. Returns the time, in milliseconds, at which
-- the entry is ready again.
local function delay(keys, entry_id, seconds, now)
  local until_millis = math.floor(micros(now) / 1000) + seconds * 1000
  local packed = redis.call('HGET', keys.readiness, entry_id)
  write_readiness(keys, entry_id, packed, with_delay(packed or '0', until_millis))
  return until_millis
end
