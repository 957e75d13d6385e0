-- enlist: puts entries of an import where their tickets belong; a repeat keeps its place.
-- USES home clock ticket segments tags put aside behind
-- KEYS meta queue gone moved held claims parked segments tags
-- ARGV stays now here
-- Stays are "entry_id:join_id:rank:segments_version:tags" and a space; for each it returns one of:
-- RETURNS joined rank ticket stamp position total | already rank ticket stamp position total
-- RETURNS cold | rebuilding | gone | stale_segments | waitlist_full

local meta = redis.call('HMGET', keys.meta, 'state', 'capacity', 'last_ticket', 'signed_up',
  'segments_version', 'home')
local state = at_home(meta[1], meta[6], here)
local capacity, signed_up = tonumber(meta[2]), meta[4]
local last_ticket = state and ticket_after(meta[3], micros(now)) - 1
local stamp = last_ticket
local total = redis.call('ZCARD', keys.queue)
local aside = capacity and redis.call('ZCARD', keys.held) + redis.call('ZCARD', keys.parked)
local function enlist(stay, entry_id, wanted, segments_version, tags)
  if not state then return {'cold'} end
  if redis.call('ZSCORE', keys.gone, stay) then return {'gone'} end
  local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
  local note = not rank and note_of(keys, entry_id)
  -- Of one who is aside by now, whoever put them there must be able to say so later than this.
  if note then return {'already', note.rank, note.ticket, note.stamp - 1, -1, -1} end
  local outcome, ticket = 'already', rank and ticket_of(keys, entry_id, rank)
  if not rank then
    if segments_version ~= (meta[5] or '0') then return {'stale_segments'} end
    -- While the order is rebuilt nobody knows how many stand in line.
    if capacity and state == 'hydrating' then return {'rebuilding'} end
    if capacity and total + aside >= capacity then return {'waitlist_full'} end
    outcome, ticket, rank = 'joined', wanted % TIER, free_behind(keys, wanted)
    if tags ~= '' then redis.call('HSET', keys.tags, entry_id, tags) end
    put(keys, entry_id, rank, ticket)
    signed_up, total = signed_up + 1, total + 1
  end
  -- Later tickets must sort behind this one, too, whatever the clock of its caller says.
  if outcome == 'joined' then stamp = math.max(stamp, rank % TIER) end
  stamp = stamp + 1
  if state == 'hydrating' then return {outcome, rank, ticket, stamp, -1, -1} end
  return {outcome, rank, ticket, stamp, redis.call('ZRANK', keys.queue, entry_id) + 1, total}
end

local replies = {}
local stay_of = '((%w+):%w+):(%d+):(%d+):(%S*)'
for stay, entry_id, rank, version, tags in string.gmatch(stays, stay_of) do
  replies[#replies + 1] = enlist(stay, entry_id, tonumber(rank), version, tags)
end
if stamp ~= last_ticket then
  redis.call('HSET', keys.meta, 'last_ticket', stamp, 'signed_up', signed_up)
end
return replies
