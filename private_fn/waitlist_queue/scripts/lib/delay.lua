-- NEEDS readiness

-- Makes an entry wait for the given number of seconds before it is ready again. Returns the end of the delay in
-- milliseconds.
local function delay(keys, entry_id, seconds, now)
  local until_millis = math.floor(now / 1000) + seconds * 1000
  local packed = redis.call('HGET', keys.readiness, entry_id)
  write_readiness(keys, entry_id, packed, with_delay(packed or '0', until_millis))
  return until_millis
end
