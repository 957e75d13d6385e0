-- init: makes a waitlist known, gives it new settings, or ends its rebuild.
-- USES clock ticket complete_tags settings counters
-- KEYS meta queue gone moved held claims parked tries unsettled segments tags
-- ARGV state epoch settings version segments_version floor signed_up left admitted counted_until
-- ARGV if_known now
-- Settings are "name=value", a space between two. Counts begin a new order, or end a rebuild.
-- RETURNS created state epoch born counted | exists state epoch born counted
-- RETURNS warmed state epoch born counted | cold
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
local settings = ARGV[3]
local version = ARGV[4]
local segments_version = ARGV[5]
local floor = ARGV[6]
local signed_up = ARGV[7]
local left = ARGV[8]
local admitted = ARGV[9]
local counted_until = ARGV[10]
local if_known = ARGV[11]
local now = ARGV[12]

local keys = {meta = meta_key, queue = queue_key, held = held_key, parked = parked_key,
  segments = segments_key, tags = tags_key}

local names = {'state', 'epoch', 'settings_version', 'segments_version', 'born', 'counted_until'}
local meta = redis.call('HMGET', meta_key, unpack(names))
if not meta[1] then
  if if_known == '1' then return {'cold'} end
  -- Without its meta hash nothing else of the waitlist can be trusted.
  redis.call('UNLINK', queue_key, gone_key, moved_key, held_key, claims_key, parked_key, tries_key,
    unsettled_key)
  -- Stamps of this life are later, those of lives before earlier, unless the clock went back.
  local born = ticket_after(floor, micros(now))
  redis.call('HSET', meta_key, 'state', state, 'epoch', epoch, 'last_ticket', born, 'born', born,
    'beat', 0, 'signed_up', signed_up, 'left', left, 'admitted', admitted,
    'counted_until', counted_until)
  apply_settings(keys, settings, version, segments_version, nil)
  return {'created', state, epoch, born, counted_until}
end
if tonumber(version) > tonumber(meta[3]) then
  apply_settings(keys, settings, version, segments_version, meta[4] or '0')
else
  segments_version = meta[4] or '0'
end
if state == 'warm' and meta[1] == 'hydrating' and epoch == meta[2] then
  local segments_state = state_of_segments(keys, segments_version)
  redis.call('HSET', meta_key, 'state', 'warm', 'segments_state', segments_state)
  add_to_counters(meta_key, signed_up, left, admitted)
  return {'warmed', 'warm', epoch, tonumber(meta[5] or 0), meta[6] or '0'}
end
return {'exists', meta[1], meta[2], tonumber(meta[5] or 0), meta[6] or '0'}
