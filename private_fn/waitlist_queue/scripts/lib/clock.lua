-- Returns the time in microseconds, according to the clock of the Redis server. A test can pass its own time as `now`.
-- The clocks of other machines are never used.
local function micros(now)
  if now ~= '' then return tonumber(now) end
  local seconds, micros_of_second = unpack(redis.call('TIME'))
  return seconds * 1000000 + micros_of_second
end
