-- Writes settings, "name=value" with a space between two. Other segments begin with an empty index, another rate
-- with an empty bucket: the time, and the slots, of the old rate must not count at the new one.
local function apply_settings(keys, settings, segments_version, known_segments, now)
  local fields = {}
  for name, value in string.gmatch(settings, '([%a_]+)=([%w_]*)') do
    fields[#fields + 1] = name == 'version' and 'settings_version' or name
    fields[#fields + 1] = value
  end
  local rate = {'rate_count', 'rate_millis', 'rate_from'}
  local before = redis.call('HMGET', keys.meta, unpack(rate))
  redis.call('HSET', keys.meta, unpack(fields))
  local after = redis.call('HMGET', keys.meta, 'rate_count', 'rate_millis', 'rate_from',
    'has_schedule', 'max_inside', 'paused', 'settings_version', 'quota')
  if before[1] ~= after[1] or before[2] ~= after[2] or (before[3] or '') ~= (after[3] or '') then
    local from = (tonumber(after[3]) or 0) * 1000
    redis.call('HSET', keys.meta, 'bucket_at', math.max(micros(now), from), 'rate_version',
      after[7])
  end
  -- The time of the next run that a poll triggers; a list that offers nothing by itself has none.
  local has_limit = after[1] ~= '' or after[4] == '1' or after[5] ~= ''
  if (has_limit or tonumber(after[8] or 0) > 0) and after[6] ~= '1' then
    redis.call('HSET', keys.meta, 'admit_at', 0)
  else
    redis.call('HDEL', keys.meta, 'admit_at')
  end
  if segments_version == known_segments then return end
  redis.call('UNLINK', keys.segments, keys.tags)
  redis.call('HSET', keys.meta, 'segments_state', segment_state(keys, segments_version))
end
