-- Sets `now` to the time of the Redis server in microseconds. The time is read only once per run. A test can pass its
-- own time as `now`.
if now ~= '' then
  now = tonumber(now)
else
  local seconds, micros_of_second = unpack(redis.call('TIME'))
  now = seconds * 1000000 + micros_of_second
end
