-- fill: puts entries that wait back where the record has them, unless Redis has them somewhere.
-- USES home text ticket segments tags retag put gap aside back recorded bulk
-- KEYS meta queue gone moved claims tries segments tags
-- ARGV epoch segments_version stays here
-- Stays are "entry_id:join_id:rank:ticket:stamp:attempts:tags", a space between two, nobody twice.
-- RETURNS filled restored present gone
-- RETURNS cold | stale_epoch | stale_segments

local fields = {'state', 'epoch', 'last_ticket', 'segments_version', 'home'}
local meta = redis.call('HMGET', keys.meta, unpack(fields))
if not at_home(meta[1], meta[5], here) then return {'cold'} end
if epoch ~= meta[2] then return {'stale_epoch'} end
if segments_version ~= (meta[4] or '0') then return {'stale_segments'} end
local names, ids, ranks, tickets, stamps, tries, tags = {}, {}, {}, {}, {}, {}, {}
local stay = '((%w+):%w+):(-?%d+):(%d+):(%d+):(%d+):(%S*)'
for name, entry_id, rank, ticket, stamp, attempts, packed in string.gmatch(stays, stay) do
  local n = #ids + 1
  -- A tombstone is called like the stay that it ends.
  names[n], ids[n], ranks[n], tickets[n], stamps[n] = name, entry_id, rank, ticket, stamp
  tries[n], tags[n] = attempts, segments_version ~= '0' and packed
end
local tombs = redis.call('ZMSCORE', keys.gone, unpack(names))
local in_line = redis.call('ZMSCORE', keys.queue, unpack(ids))
local asides = redis.call('HMGET', keys.claims, unpack(ids))
local newest, counts = tonumber(meta[3]), {restored = 0, present = 0, gone = 0}
local line, taken, own, moved, tried = {}, {}, {}, {}, {}

local function put_back(n, entry_id, rank, ticket)
  if taken[rank] or redis.call('ZCOUNT', keys.queue, rank, rank) > 0 then
    if line[1] then redis.call('ZADD', keys.queue, unpack(line)) end
    line = {}
    rank = text(free_rank(keys, entry_id, tonumber(rank)) or rank)
  end
  taken[rank] = true
  add(line, rank, entry_id)
  if rank % TIER == tonumber(ticket) then add(own, entry_id) else add(moved, entry_id, ticket) end
  if tries[n] ~= '0' then add(tried, entry_id, tries[n]) end
  if tags[n] then retag(keys, entry_id, tags[n], tonumber(rank), true) end
end

for n, entry_id in ipairs(ids) do
  local outcome = tombs[n] and 'gone' or (in_line[n] or asides[n]) and 'present' or 'restored'
  counts[outcome] = counts[outcome] + 1
  if outcome ~= 'gone' then newest = math.max(newest, tonumber(stamps[n])) end
  if outcome == 'restored' then put_back(n, entry_id, ranks[n], tickets[n]) end
  if outcome == 'present' then
    tag_as_recorded(keys, entry_id, tags[n], {ticket = tonumber(tickets[n])},
      tonumber(in_line[n] or nil), asides[n] and note_of(keys, entry_id))
  end
end
if line[1] then redis.call('ZADD', keys.queue, unpack(line)) end
if own[1] then redis.call('HDEL', keys.moved, unpack(own)) end
if moved[1] then redis.call('HSET', keys.moved, unpack(moved)) end
if tried[1] then redis.call('HSET', keys.tries, unpack(tried)) end
-- Later tickets must sort behind everything that was ever acknowledged.
if newest > tonumber(meta[3]) then redis.call('HSET', keys.meta, 'last_ticket', newest) end
return {'filled', counts.restored, counts.present, counts.gone}
