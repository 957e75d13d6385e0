-- signup: gives entries the places behind everybody, in order; a repeat keeps its place.
-- USES home clock ticket segments aside
-- KEYS meta queue gone moved held claims parked segments tags
-- ARGV stays now here
-- Stays are "entry_id:join_id:segments_version:tags" and a space; for each it returns one of these:
-- RETURNS joined rank ticket stamp position total | already rank ticket stamp position total
-- The position is -1 where it is not known, and the total also where customers are shown no counts.
-- RETURNS cold | rebuilding | gone | stale_segments | waitlist_closed | waitlist_full
local APART = 8 -- seven moves fit between two signups

local meta = redis.call('HMGET', keys.meta, 'state', 'open', 'capacity', 'last_ticket', 'signed_up',
  'segments_version', 'home', 'hide_counts')
local state = at_home(meta[1], meta[7], here)
local open, capacity, signed_up = meta[2], tonumber(meta[3]), meta[5]
-- Between two signups there is room for entries that are moved ahead of the second, but only while
-- the tickets are less than a second ahead of the clock: they show the times of signups.
local first_ticket, apart
if state then
  now = micros(now)
  local is_ahead = meta[4] - ticket_after(0, now) > TICKETS_PER_SECOND
  apart = is_ahead and 1 or APART
  first_ticket = ticket_after(meta[4] + apart - 1, now)
end
local next_ticket, last_ticket = first_ticket, nil
local total = redis.call('ZCARD', keys.queue)
local hides_counts = meta[8] == '1'
local aside = capacity and redis.call('ZCARD', keys.held) + redis.call('ZCARD', keys.parked)

local function signup(stay, entry_id, segments_version, tags)
  if not state then return {'cold'} end
  -- A tombstone is called like the stay that it ends.
  if redis.call('ZSCORE', keys.gone, stay) then return {'gone'} end
  local outcome, ticket = 'already', nil
  local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
  local note = not rank and note_of(keys, entry_id)
  if rank then
    ticket = ticket_of(keys, entry_id, rank)
  elseif note then
    rank, ticket = note.rank, note.ticket
  else
    if open == '0' then return {'waitlist_closed'} end
    if segments_version ~= (meta[6] or '0') then return {'stale_segments'} end
    -- While the order is rebuilt nobody knows how many stand in line.
    if capacity and state == 'hydrating' then return {'rebuilding'} end
    if capacity and total + aside >= capacity then return {'waitlist_full'} end
    outcome, ticket, rank = 'joined', next_ticket, 255 * TIER + next_ticket
    redis.call('ZADD', keys.queue, rank, entry_id)
    if tags ~= '' then
      redis.call('HSET', keys.tags, entry_id, tags)
      enter(keys, entry_id, rank, tags)
    end
    signed_up, total = signed_up + 1, total + 1
  end
  -- Of one who is aside by now, whoever put them there must be able to say so later than this.
  local stamp = note and ticket or next_ticket
  last_ticket, next_ticket = next_ticket, next_ticket + apart
  if note or state == 'hydrating' then return {outcome, rank, ticket, stamp, -1, -1} end
  local position = redis.call('ZRANK', keys.queue, entry_id) + 1
  return {outcome, rank, ticket, stamp, position, hides_counts and -1 or total}
end

local replies = {}
for stay, entry_id, version, tags in string.gmatch(stays, '((%w+):%w+):(%d+):(%S*)') do
  replies[#replies + 1] = signup(stay, entry_id, version, tags)
end
if last_ticket then
  redis.call('HSET', keys.meta, 'last_ticket', last_ticket, 'signed_up', signed_up)
end
return replies
