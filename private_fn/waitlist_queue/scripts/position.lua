-- position: tells how many people are ahead of an entry.
-- USES text clock ticket aside
-- KEYS meta queue moved claims
-- ARGV entry_id
-- RETURNS waiting total hide_counts position rank ticket | absent total hide_counts
-- RETURNS held total hide_counts rank ticket | parked total hide_counts rank ticket
-- RETURNS done total hide_counts rank ticket | cold | rebuilding
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local moved_key = KEYS[3]
local claims_key = KEYS[4]
local entry_id = ARGV[1]

local meta = redis.call('HMGET', meta_key, 'state', 'hide_counts')
local state, hide_counts = meta[1], meta[2]
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local total = redis.call('ZCARD', queue_key)
local found = redis.call('ZRANK', queue_key, entry_id, 'WITHSCORE')
if not found then
  local note = note_of(claims_key, entry_id)
  if not note then return {'absent', total, hide_counts} end
  return {note.state, total, hide_counts, note.rank, note.ticket}
end
local rank = tonumber(found[2])
local ticket = ticket_of(moved_key, entry_id, rank)
return {'waiting', total, hide_counts, found[1] + 1, rank, ticket}
