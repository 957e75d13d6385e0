-- Returns the millisecond at which a hold expires, at which an entry was parked, or at which the pass of an admitted
-- customer ends. Returns 0 for other entries.
local function time_of(keys, entry_id)
  return tonumber(redis.call('ZSCORE', keys.held, entry_id) or
    redis.call('ZSCORE', keys.parked, entry_id) or redis.call('ZSCORE', keys.inside, entry_id) or 0)
end
