-- Whether everybody on the list has tags: only then are the segments exact.
local function state_of_segments(keys, segments_version)
  if segments_version == '0' then return 'ready' end
  local people = redis.call('ZCARD', keys.queue) + redis.call('ZCARD', keys.held) +
    redis.call('ZCARD', keys.parked)
  return redis.call('HLEN', keys.tags) == people and 'ready' or 'building'
end
