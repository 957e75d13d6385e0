-- Returns whether a hold has expired that no script has ended yet. The entry of such a hold should wait again, so
-- positions and counts without it would be wrong. The calling script then returns `expiring`. The service ends the
-- expired holds and runs the script again.
local function has_expired_holds(keys, now)
  return redis.call('ZCOUNT', keys.held, '-inf', math.floor(micros(now) / 1000)) > 0
end
