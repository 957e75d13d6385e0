-- Returns whether Redis still keeps a claim or an offer that has expired. Until it is removed, positions and counts
-- are wrong, so the calling script returns `expiring`.
local function has_expired_holds(keys, now)
  return redis.call('ZCOUNT', keys.held, '-inf', math.floor(now / 1000)) > 0
end
