-- NEEDS segments

-- The names of the optional settings. Redis stores an optional setting only if it has a value.
local OPTIONAL = {'max_claims', 'opens_millis', 'closes_millis', 'has_hours', 'has_call_numbers',
  'presence_seconds', 'misses_at_most', 'misses_then', 'until_millis'}

-- Begins a new admission schedule, and discards the old schedule's unused slots.
local function begin_schedule(keys, since_millis)
  redis.call('HSET', keys.meta, 'scheduled', 0, 'scheduled_until', since_millis)
end

-- Writes the settings, which are "name=value" pairs separated by spaces. If the declared segments have changed, empties
-- the segment index. If the rate has changed, discards the old rate's unused slots.
local function apply_settings(keys, settings, segments_version, known_segments, now)
  local old_count, old_millis, old_from, max_claims = unpack(redis.call('HMGET', keys.meta, 'rate_count',
    'rate_millis', 'rate_from', 'max_claims'))
  local former = {}
  for i, value in ipairs(redis.call('HMGET', keys.meta, unpack(OPTIONAL))) do former[OPTIONAL[i]] = value end
  local fields = {}
  for name, value in string.gmatch(settings, '([%a_]+)=([%w_]*)') do
    local is_optional = former[name] ~= nil
    if value ~= '' or not is_optional then
      fields[#fields + 1] = name == 'version' and 'settings_version' or name
      fields[#fields + 1] = value
      if is_optional then former[name] = false end
    end
  end
  for name, value in pairs(former) do
    if value then redis.call('HDEL', keys.meta, name) end
  end
  if former.presence_seconds then redis.call('UNLINK', keys.last_polls) end
  redis.call('HSET', keys.meta, unpack(fields))
  if max_claims then
    -- If the waitlist still has this setting, the next claim creates the set again.
    redis.call('UNLINK', keys.claimed)
    redis.call('HDEL', keys.meta, 'claims_indexed')
  end
  local count, millis, from, version, schedule_version, max_inside, paused, quota = unpack(redis.call('HMGET', keys.meta,
    'rate_count', 'rate_millis', 'rate_from', 'settings_version', 'schedule_version', 'max_inside', 'paused', 'quota'))
  if old_count ~= count or old_millis ~= millis or (old_from or '') ~= (from or '') then
    local from_micros = (tonumber(from) or 0) * 1000
    redis.call('HSET', keys.meta, 'bucket_at', math.max(now, from_micros), 'rate_version', version)
  end
  -- `admit_at` is the time when the next poll triggers a run of the policy. A waitlist that makes no offers on its own
  -- does not have this field.
  local has_limit = count ~= '' or schedule_version ~= '0' or max_inside ~= ''
  if (has_limit or tonumber(quota or 0) > 0) and paused ~= '1' then
    redis.call('HSET', keys.meta, 'admit_at', 0)
  else
    redis.call('HDEL', keys.meta, 'admit_at')
  end
  if segments_version == known_segments then return end
  redis.call('UNLINK', keys.segments, keys.tags)
  redis.call('HSET', keys.meta, 'segments_state', segment_state(keys, segments_version))
end
