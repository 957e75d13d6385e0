-- signup: gives entries the places behind everybody, in order; a repeat keeps its place.
-- USES home clock ticket segments aside
-- KEYS meta queue gone moved held claims parked segments tags
-- ARGV stays now here
-- Stays are "entry_id:join_id:segments_version:tags" and a space; for each it returns one of these:
-- RETURNS joined rank ticket stamp position total | already rank ticket stamp position total
-- RETURNS cold | rebuilding | gone | stale_segments | waitlist_closed | waitlist_full
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local segments_key = KEYS[8]
local tags_key = KEYS[9]
local stays = ARGV[1]
local now = ARGV[2]
local here = ARGV[3]

local meta = redis.call('HMGET', meta_key, 'state', 'open', 'capacity', 'last_ticket', 'signed_up',
  'segments_version', 'home')
local state = at_home(meta[1], meta[7], here)
local open, capacity, signed_up = meta[2], tonumber(meta[3]), meta[5]
local first_ticket = state and ticket_after(meta[4], micros(now))
local next_ticket = first_ticket
local total = redis.call('ZCARD', queue_key)
local aside = capacity and redis.call('ZCARD', held_key) + redis.call('ZCARD', parked_key)

local function signup(stay, entry_id, segments_version, tags)
  if not state then return {'cold'} end
  -- A tombstone is called like the stay that it ends.
  if redis.call('ZSCORE', gone_key, stay) then return {'gone'} end
  local outcome, ticket = 'already', nil
  local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
  local note = not rank and note_of(claims_key, entry_id)
  if rank then
    ticket = ticket_of(moved_key, entry_id, rank)
  elseif note then
    rank, ticket = note.rank, note.ticket
  else
    if open == '0' then return {'waitlist_closed'} end
    if segments_version ~= (meta[6] or '0') then return {'stale_segments'} end
    -- While the order is rebuilt nobody knows how many stand in line.
    if capacity and state == 'hydrating' then return {'rebuilding'} end
    if capacity and total + aside >= capacity then return {'waitlist_full'} end
    outcome, ticket, rank = 'joined', next_ticket, 255 * TIER + next_ticket
    redis.call('ZADD', queue_key, rank, entry_id)
    if tags ~= '' then
      redis.call('HSET', tags_key, entry_id, tags)
      enter({segments = segments_key}, entry_id, rank, tags)
    end
    signed_up, total = signed_up + 1, total + 1
  end
  -- Of one who is aside by now, whoever put them there must be able to say so later than this.
  local stamp = note and ticket or next_ticket
  next_ticket = next_ticket + 1
  if note or state == 'hydrating' then return {outcome, rank, ticket, stamp, -1, -1} end
  local position = redis.call('ZRANK', queue_key, entry_id) + 1
  return {outcome, rank, ticket, stamp, position, total}
end

local replies = {}
for stay, entry_id, version, tags in string.gmatch(stays, '((%w+):%w+):(%d+):(%S*)') do
  replies[#replies + 1] = signup(stay, entry_id, version, tags)
end
if next_ticket ~= first_ticket then
  redis.call('HSET', meta_key, 'last_ticket', next_ticket - 1, 'signed_up', signed_up)
end
return replies
