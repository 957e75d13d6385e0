-- Returns Redis' time in microseconds, or the time that a test gives. No other machine's clock counts.
local function micros(now)
  if now ~= '' then return tonumber(now) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
