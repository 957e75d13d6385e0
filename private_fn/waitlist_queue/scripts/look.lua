-- look: tells how an entry stands, for whoever compares it with its record.
-- USES home state aside
-- KEYS meta queue held claims parked unsettled tags
-- ARGV entry_id here
-- RETURNS looked state rank token time stamp unsettled attributes_version
-- RETURNS cold | rebuilding
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local claims_key = KEYS[4]
local parked_key = KEYS[5]
local unsettled_key = KEYS[6]
local tags_key = KEYS[7]
local entry_id = ARGV[1]
local here = ARGV[2]

local state = state_here(meta_key, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local unsettled = tonumber(redis.call('ZSCORE', unsettled_key, entry_id) or 0)
local tags = redis.call('HGET', tags_key, entry_id)
local version = tags and tonumber(string.match(tags, '%d+$')) or -1
local rank = redis.call('ZSCORE', queue_key, entry_id)
if rank then return {'looked', 'waiting', tonumber(rank), '', '0', 0, unsettled, version} end
local note = note_of(claims_key, entry_id)
if not note then return {'looked', 'absent', 0, '', '0', 0, unsettled, version} end
local time = redis.call('ZSCORE', held_key, entry_id) or
  redis.call('ZSCORE', parked_key, entry_id) or '0'
return {'looked', note.state, note.rank, note.token, time, note.stamp, unsettled, version}
