-- init: makes a waitlist known, gives it new settings, moves it to its new home, or ends its rebuild.
-- USES home clock ticket complete_tags settings birth
-- KEYS meta queue gone moved held claims parked tries unsettled decided segments tags crowds
-- ARGV state epoch settings version segments_version floor signed_up left admitted
-- ARGV known_epoch known_beat if_known now here
-- Settings are "name=value", a space between two. A new order counts on from the counts.
-- RETURNS created state epoch born mending | moved state epoch born mending
-- RETURNS exists state epoch born mending | warmed state epoch born mending | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local tries_key = KEYS[8]
local unsettled_key = KEYS[9]
local decided_key = KEYS[10]
local segments_key = KEYS[11]
local tags_key = KEYS[12]
local crowds_key = KEYS[13]
local state = ARGV[1]
local epoch = ARGV[2]
local settings = ARGV[3]
local version = ARGV[4]
local segments_version = ARGV[5]
local floor = ARGV[6]
local signed_up = ARGV[7]
local left = ARGV[8]
local admitted = ARGV[9]
local known_epoch = ARGV[10]
local known_beat = ARGV[11]
local if_known = ARGV[12]
local now = ARGV[13]
local here = ARGV[14]

local keys = {meta = meta_key, queue = queue_key, held = held_key, parked = parked_key,
  segments = segments_key, tags = tags_key}
local counters = {signed_up = signed_up, left = left, admitted = admitted}

local names = {'state', 'epoch', 'settings_version', 'segments_version', 'home', 'beat'}
local meta = redis.call('HMGET', meta_key, unpack(names))
local is_here = at_home(meta[1], meta[5], here)
if not is_here and if_known == '1' then return {'cold'} end
local outcome = 'exists'
if not is_here and is_mendable(meta, known_epoch, known_beat) then
  outcome = 'moved'
  move_home(meta_key, epoch, first_of_life(floor, micros(now)), counters, here)
elseif not is_here then
  outcome = 'created'
  -- Without its meta hash nothing else of the waitlist can be trusted.
  redis.call('UNLINK', meta_key, queue_key, gone_key, moved_key, held_key, claims_key, parked_key,
    tries_key, unsettled_key, decided_key, crowds_key)
  meta = {}
  give_birth(meta_key, state, epoch, first_of_life(floor, micros(now)), counters, here)
end
if tonumber(version) > tonumber(meta[3] or -1) then
  apply_settings(keys, settings, version, segments_version, meta[4])
else
  segments_version = meta[4] or '0'
end
if state == 'warm' and meta[1] == 'hydrating' and epoch == meta[2] then
  outcome = 'warmed'
  redis.call('HSET', meta_key, 'state', 'warm', 'mending', 0, 'segments_state',
    state_of_segments(keys, segments_version))
end
local life = life_of(meta_key)
return {outcome, life.state, life.epoch, life.born, life.mending}
