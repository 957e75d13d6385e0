-- init: makes a waitlist known, gives it new settings, or ends its rebuild.
-- KEYS meta queue gone moved
-- ARGV state epoch open hide_counts capacity version floor_ticket signed_up left admitted if_known
-- RETURNS created state epoch | exists state epoch | warmed state epoch | cold
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local state = ARGV[1]
local epoch = ARGV[2]
local open = ARGV[3]
local hide_counts = ARGV[4]
local capacity = ARGV[5]
local version = ARGV[6]
local floor_ticket = ARGV[7]
local signed_up = ARGV[8]
local left = ARGV[9]
local admitted = ARGV[10]
local if_known = ARGV[11]

local meta = redis.call('HMGET', meta_key, 'state', 'epoch', 'settings_version')
if not meta[1] then
  if if_known == '1' then return {'cold'} end
  -- Without its meta hash nothing else of the waitlist can be trusted.
  redis.call('UNLINK', queue_key, gone_key, moved_key)
  redis.call('HSET', meta_key, 'state', state, 'epoch', epoch, 'last_ticket', floor_ticket,
    'open', open, 'hide_counts', hide_counts, 'capacity', capacity, 'settings_version', version,
    'signed_up', signed_up, 'left', left, 'admitted', admitted)
  return {'created', state, epoch}
end
if tonumber(version) > tonumber(meta[3]) then
  redis.call('HSET', meta_key, 'open', open, 'hide_counts', hide_counts, 'capacity', capacity,
    'settings_version', version)
end
if state == 'warm' and meta[1] == 'hydrating' and epoch == meta[2] then
  redis.call('HSET', meta_key, 'state', 'warm')
  return {'warmed', 'warm', epoch}
end
return {'exists', meta[1], meta[2]}
