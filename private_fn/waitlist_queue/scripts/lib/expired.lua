-- Returns whether there is an expired hold that has not been ended yet. The entry of this hold should be waiting again,
-- so positions and counts would be wrong. The calling script then returns `expiring`. The service ends the expired
-- holds and runs the script again.
local function has_expired_holds(keys, now)
  return redis.call('ZCOUNT', keys.held, '-inf', math.floor(micros(now) / 1000)) > 0
end
