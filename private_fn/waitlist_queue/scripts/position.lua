-- position: tells how many people are ahead of an entry, in line and within some segments.
-- USES home ticket segments aside
-- KEYS meta queue moved claims segments
-- ARGV entry_id segments_version asked here
-- Asked are segment ids, a space between two; places are: position (-1: not in it), total, …
-- RETURNS waiting total hide_counts position rank ticket places | absent total hide_counts
-- RETURNS held total hide_counts rank ticket | parked total hide_counts rank ticket
-- RETURNS done total hide_counts rank ticket
-- RETURNS cold | rebuilding | segments_building | stale_segments

local meta = redis.call('HMGET', keys.meta, 'state', 'hide_counts', 'segments_version',
  'segments_state', 'home')
local state, hide_counts = at_home(meta[1], meta[5], here), meta[2]
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
if asked ~= '' and segments_version ~= (meta[3] or '0') then return {'stale_segments'} end
if asked ~= '' and meta[4] == 'building' then return {'segments_building'} end
local total = redis.call('ZCARD', keys.queue)
-- Asked twice: Redis 7.0, and ElastiCache for Redis OSS, know no ZRANK … WITHSCORE.
local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
if not rank then
  local note = note_of(keys, entry_id)
  if not note then return {'absent', total, hide_counts} end
  return {note.state, total, hide_counts, note.rank, note.ticket}
end
local ahead = redis.call('ZRANK', keys.queue, entry_id)
local ticket = ticket_of(keys, entry_id, rank)
local places = {}
for segment in string.gmatch(asked, '%w+') do
  local member = segment .. ':' .. sortable(rank) .. ':' .. entry_id
  -- A semicolon comes next to the colon that ends a segment's id.
  local first, last = '[' .. segment .. ':', '(' .. segment .. ';'
  places[#places + 1] = redis.call('ZSCORE', keys.segments, member) and
    redis.call('ZLEXCOUNT', keys.segments, first, '[' .. member) or -1
  places[#places + 1] = redis.call('ZLEXCOUNT', keys.segments, first, last)
end
return {'waiting', total, hide_counts, ahead + 1, rank, ticket, places}
