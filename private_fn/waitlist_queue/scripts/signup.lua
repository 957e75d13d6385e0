-- signup: gives an entry the place behind everybody; a repeat keeps its place.
-- USES ticket aside tombstone
-- KEYS meta queue gone moved held claims parked
-- ARGV entry_id join_id now
-- RETURNS joined rank ticket stamp position total | already rank ticket stamp position total
-- RETURNS cold | rebuilding | gone | waitlist_closed | waitlist_full
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local now = ARGV[3]

local meta = redis.call('HMGET', meta_key, 'state', 'open', 'capacity')
local state, open, capacity = meta[1], meta[2], meta[3]
if not state then return {'cold'} end
if is_gone(gone_key, entry_id, join_id) then return {'gone'} end

local outcome = 'already'
local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
local note = not rank and note_of(claims_key, entry_id)
if note then
  return {'already', note.rank, note.ticket, draw(meta_key, now), -1, -1}
end
local ticket, stamp
if rank then
  ticket = ticket_of(moved_key, entry_id, rank)
  stamp = draw(meta_key, now)
else
  if open == '0' then return {'waitlist_closed'} end
  if capacity ~= '' then
    -- While the order is rebuilt nobody knows how many stand in line.
    if state == 'hydrating' then return {'rebuilding'} end
    local on_list = redis.call('ZCARD', queue_key) + redis.call('ZCARD', held_key) +
      redis.call('ZCARD', parked_key)
    if on_list >= tonumber(capacity) then return {'waitlist_full'} end
  end
  outcome = 'joined'
  ticket = draw(meta_key, now)
  stamp = ticket
  rank = 255 * TIER + ticket
  redis.call('ZADD', queue_key, text(rank), entry_id)
  redis.call('HINCRBY', meta_key, 'signed_up', 1)
end
if state == 'hydrating' then return {outcome, rank, ticket, stamp, -1, -1} end
local position = redis.call('ZRANK', queue_key, entry_id) + 1
return {outcome, rank, ticket, stamp, position, redis.call('ZCARD', queue_key)}
