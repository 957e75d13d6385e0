-- Returns whether a hold is over that no script has ended yet. Its entry waits again from that moment on, so positions
-- and counts that leave it out are not true. The script then answers `expiring`: the service ends these holds and runs the
-- script again.
local function has_expired_holds(keys, now)
  return redis.call('ZCOUNT', keys.held, '-inf', math.floor(micros(now) / 1000)) > 0
end
