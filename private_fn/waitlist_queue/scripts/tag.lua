-- tag: puts an entry, wherever it is on the list, into the segments of its attributes.
-- USES home segments retag tombstone
-- KEYS meta queue gone held parked segments tags
-- ARGV entry_id join_id segments_version new_tags here
-- RETURNS tagged | kept | absent
-- RETURNS cold | gone | stale_segments
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local held_key = KEYS[4]
local parked_key = KEYS[5]
local segments_key = KEYS[6]
local tags_key = KEYS[7]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local segments_version = ARGV[3]
local new_tags = ARGV[4]
local here = ARGV[5]

local meta = redis.call('HMGET', meta_key, 'state', 'segments_version', 'home')
if not at_home(meta[1], meta[3], here) then return {'cold'} end
if segments_version ~= (meta[2] or '0') then return {'stale_segments'} end
if is_gone(gone_key, entry_id, join_id) then return {'gone'} end
local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
if not (rank or redis.call('ZSCORE', held_key, entry_id) or
  redis.call('ZSCORE', parked_key, entry_id)) then
  return {'absent'}
end
local outcome = 'kept'
local keys = {segments = segments_key, tags = tags_key}
if segments_version ~= '0' and retag(keys, entry_id, new_tags, rank) then outcome = 'tagged' end
return {outcome}
