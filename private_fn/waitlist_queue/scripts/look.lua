-- look: tells how an entry stands, for whoever compares it with its record.
-- USES home state aside
-- KEYS meta queue held claims parked unsettled tags
-- ARGV entry_id here
-- RETURNS looked state rank token time stamp unsettled attributes_version
-- RETURNS cold | rebuilding

local state = state_here(keys, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local unsettled = tonumber(redis.call('ZSCORE', keys.unsettled, entry_id) or 0)
local tags = redis.call('HGET', keys.tags, entry_id)
local version = tags and tonumber(string.match(tags, '%d+$')) or -1
local rank = redis.call('ZSCORE', keys.queue, entry_id)
if rank then return {'looked', 'waiting', tonumber(rank), '', '0', 0, unsettled, version} end
local note = note_of(keys, entry_id)
if not note then return {'looked', 'absent', 0, '', '0', 0, unsettled, version} end
local time = redis.call('ZSCORE', keys.held, entry_id) or
  redis.call('ZSCORE', keys.parked, entry_id) or '0'
return {'looked', note.state, note.rank, note.token, time, note.stamp, unsettled, version}
