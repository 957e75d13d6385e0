-- NEEDS waiting

-- Returns `ready` if the segments of every entry on the waitlist are stored, and `building` otherwise. Segment counts
-- are exact only in the state `ready`.
local function segment_state(keys, segments_version)
  if segments_version == '0' then return 'ready' end
  local entries = count_waiting(keys) + redis.call('ZCARD', keys.held) +
    redis.call('ZCARD', keys.parked)
  return redis.call('HLEN', keys.tags) == entries and 'ready' or 'building'
end
