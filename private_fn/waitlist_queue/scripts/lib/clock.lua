-- Returns the time of the Redis server in microseconds. A test can pass its own time as `now`.
local function micros(now)
  if now ~= '' then return tonumber(now) end
  local seconds, micros_of_second = unpack(redis.call('TIME'))
  return seconds * 1000000 + micros_of_second
end
