-- Returns the deadline of a claim or an offer, the time at which an entry was parked, or the end of a customer's pass,
-- in milliseconds.
local function time_of(keys, entry_id)
  return tonumber(redis.call('ZSCORE', keys.held, entry_id) or
    redis.call('ZSCORE', keys.parked, entry_id) or redis.call('ZSCORE', keys.inside, entry_id) or 0)
end
