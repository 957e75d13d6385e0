-- The Redis server's clock, unless a test gives the time. No other machine's clock counts.
local function micros(now)
  if now ~= '' then return tonumber(now) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
