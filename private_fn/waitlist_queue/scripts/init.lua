-- init: makes a waitlist known, gives it new settings, moves it to its new home, or ends its rebuild.
-- USES home clock ticket complete_tags settings birth
-- KEYS meta queue gone moved held claims parked tries unsettled decided segments tags crowds
-- ARGV state epoch settings version segments_version floor signed_up left admitted
-- ARGV known_epoch known_beat if_known now here
-- Settings are "name=value", a space between two. A new order counts on from the counts.
-- RETURNS created state epoch born mending | moved state epoch born mending
-- RETURNS exists state epoch born mending | warmed state epoch born mending | cold

local counters = {signed_up = signed_up, left = left, admitted = admitted}

local names = {'state', 'epoch', 'settings_version', 'segments_version', 'home', 'beat'}
local meta = redis.call('HMGET', keys.meta, unpack(names))
local is_here = at_home(meta[1], meta[5], here)
if not is_here and if_known == '1' then return {'cold'} end
local outcome = 'exists'
if not is_here and is_mendable(meta, known_epoch, known_beat) then
  outcome = 'moved'
  move_home(keys, epoch, first_of_life(floor, micros(now)), counters, here)
elseif not is_here then
  outcome = 'created'
  -- Without its meta hash nothing else of the waitlist can be trusted.
  redis.call('UNLINK', keys.meta, keys.queue, keys.gone, keys.moved, keys.held, keys.claims,
    keys.parked, keys.tries, keys.unsettled, keys.decided, keys.crowds)
  meta = {}
  give_birth(keys, state, epoch, first_of_life(floor, micros(now)), counters, here)
end
if tonumber(version) > tonumber(meta[3] or -1) then
  apply_settings(keys, settings, version, segments_version, meta[4])
else
  segments_version = meta[4] or '0'
end
if state == 'warm' and meta[1] == 'hydrating' and epoch == meta[2] then
  outcome = 'warmed'
  redis.call('HSET', keys.meta, 'state', 'warm', 'mending', 0, 'segments_state',
    state_of_segments(keys, segments_version))
end
local life = life_of(keys)
return {outcome, life.state, life.epoch, life.born, life.mending}
