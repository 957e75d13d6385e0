-- Writes settings, "name=value" with a space between two. Other segments begin with an empty index.
local function apply_settings(keys, settings, segments_version, known_segments)
  local fields = {}
  for name, value in string.gmatch(settings, '([%a_]+)=(%d*)') do
    fields[#fields + 1] = name == 'version' and 'settings_version' or name
    fields[#fields + 1] = value
  end
  redis.call('HSET', keys.meta, unpack(fields))
  if segments_version == known_segments then return end
  redis.call('UNLINK', keys.segments, keys.tags)
  redis.call('HSET', keys.meta, 'segments_state', segment_state(keys, segments_version))
end
