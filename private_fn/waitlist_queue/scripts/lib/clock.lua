-- Returns Redis' time in microseconds, or the time that a test gives. No other machine's clock counts.
local function micros(now)
  if now ~= '' then return tonumber(now) end
  local seconds, micros_of_second = unpack(redis.call('TIME'))
  return seconds * 1000000 + micros_of_second
end
