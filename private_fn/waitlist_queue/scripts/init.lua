-- init: makes a waitlist known, gives it new settings, or ends its rebuild.
-- USES complete_tags
-- KEYS meta queue gone moved held claims parked tries unsettled segments tags
-- ARGV state epoch open paused hide_counts capacity lease_seconds max_attempts version
-- ARGV segments_version floor_ticket signed_up left admitted if_known
-- RETURNS created state epoch | exists state epoch | warmed state epoch | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local tries_key = KEYS[8]
local unsettled_key = KEYS[9]
local segments_key = KEYS[10]
local tags_key = KEYS[11]
local state = ARGV[1]
local epoch = ARGV[2]
local open = ARGV[3]
local paused = ARGV[4]
local hide_counts = ARGV[5]
local capacity = ARGV[6]
local lease_seconds = ARGV[7]
local max_attempts = ARGV[8]
local version = ARGV[9]
local segments_version = ARGV[10]
local floor_ticket = ARGV[11]
local signed_up = ARGV[12]
local left = ARGV[13]
local admitted = ARGV[14]
local if_known = ARGV[15]

local keys = {queue = queue_key, held = held_key, parked = parked_key, tags = tags_key}

local function apply_settings(known_segments)
  redis.call('HSET', meta_key, 'open', open, 'paused', paused, 'hide_counts', hide_counts,
    'capacity', capacity, 'lease_seconds', lease_seconds, 'max_attempts', max_attempts,
    'settings_version', version, 'segments_version', segments_version)
  if segments_version == known_segments then return end
  redis.call('UNLINK', segments_key, tags_key)
  redis.call('HSET', meta_key, 'segments_state', state_of_segments(keys, segments_version))
end

local meta = redis.call('HMGET', meta_key, 'state', 'epoch', 'settings_version', 'segments_version')
if not meta[1] then
  if if_known == '1' then return {'cold'} end
  -- Without its meta hash nothing else of the waitlist can be trusted.
  redis.call('UNLINK', queue_key, gone_key, moved_key, held_key, claims_key, parked_key, tries_key,
    unsettled_key)
  redis.call('HSET', meta_key, 'state', state, 'epoch', epoch, 'last_ticket', floor_ticket,
    'signed_up', signed_up, 'left', left, 'admitted', admitted)
  apply_settings()
  return {'created', state, epoch}
end
if tonumber(version) > tonumber(meta[3]) then
  apply_settings(meta[4] or '0')
else
  segments_version = meta[4] or '0'
end
if state == 'warm' and meta[1] == 'hydrating' and epoch == meta[2] then
  redis.call('HSET', meta_key, 'state', 'warm', 'segments_state',
    state_of_segments(keys, segments_version))
  return {'warmed', 'warm', epoch}
end
return {'exists', meta[1], meta[2]}
