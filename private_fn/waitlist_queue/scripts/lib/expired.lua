-- Returns whether a claim or an offer has expired but has not been ended yet. The script then returns `expiring`,
-- because positions and counts would be wrong.
local function has_expired_holds(keys, now)
  return redis.call('ZCOUNT', keys.held, '-inf', math.floor(micros(now) / 1000)) > 0
end
