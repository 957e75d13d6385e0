-- Writes settings, "name=value" with a space between two; other segments begin with an empty index.
local function apply_settings(keys, settings, version, segments_version, known_segments)
  local fields = {'settings_version', version, 'segments_version', segments_version}
  for name, value in string.gmatch(settings, '([%a_]+)=(%d*)') do
    fields[#fields + 1], fields[#fields + 2] = name, value
  end
  redis.call('HSET', keys.meta, unpack(fields))
  if segments_version == known_segments then return end
  redis.call('UNLINK', keys.segments, keys.tags)
  redis.call('HSET', keys.meta, 'segments_state', state_of_segments(keys, segments_version))
end
