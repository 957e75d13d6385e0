-- fill: puts entries that wait back where the record has them, unless Redis has them somewhere.
-- USES home text ticket segments tags retag put gap aside back recorded bulk
-- KEYS meta queue gone moved claims tries segments tags
-- ARGV epoch segments_version stays here
-- Stays are "entry_id:join_id:rank:ticket:stamp:attempts:tags", a space between two, nobody twice.
-- RETURNS filled restored present gone
-- RETURNS cold | stale_epoch | stale_segments
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local claims_key = KEYS[5]
local tries_key = KEYS[6]
local segments_key = KEYS[7]
local tags_key = KEYS[8]
local epoch = ARGV[1]
local segments_version = ARGV[2]
local stays = ARGV[3]
local here = ARGV[4]

local fields = {'state', 'epoch', 'last_ticket', 'segments_version', 'home'}
local meta = redis.call('HMGET', meta_key, unpack(fields))
if not at_home(meta[1], meta[5], here) then return {'cold'} end
if epoch ~= meta[2] then return {'stale_epoch'} end
if segments_version ~= (meta[4] or '0') then return {'stale_segments'} end
local keys = {moved = moved_key, segments = segments_key, tags = tags_key}
local names, ids, ranks, tickets, stamps, tries, tags = {}, {}, {}, {}, {}, {}, {}
local stay = '((%w+):%w+):(-?%d+):(%d+):(%d+):(%d+):(%S*)'
for name, entry_id, rank, ticket, stamp, attempts, packed in string.gmatch(stays, stay) do
  local n = #ids + 1
  -- A tombstone is called like the stay that it ends.
  names[n], ids[n], ranks[n], tickets[n], stamps[n] = name, entry_id, rank, ticket, stamp
  tries[n], tags[n] = attempts, segments_version ~= '0' and packed
end
local tombs = redis.call('ZMSCORE', gone_key, unpack(names))
local in_line = redis.call('ZMSCORE', queue_key, unpack(ids))
local asides = redis.call('HMGET', claims_key, unpack(ids))
local newest, counts = tonumber(meta[3]), {restored = 0, present = 0, gone = 0}
local line, taken, own, moved, tried = {}, {}, {}, {}, {}

local function put_back(n, entry_id, rank, ticket)
  if taken[rank] or redis.call('ZCOUNT', queue_key, rank, rank) > 0 then
    if line[1] then redis.call('ZADD', queue_key, unpack(line)) end
    line = {}
    rank = text(free_rank(queue_key, entry_id, tonumber(rank)) or rank)
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
      tonumber(in_line[n] or nil), asides[n] and note_of(claims_key, entry_id))
  end
end
if line[1] then redis.call('ZADD', queue_key, unpack(line)) end
if own[1] then redis.call('HDEL', moved_key, unpack(own)) end
if moved[1] then redis.call('HSET', moved_key, unpack(moved)) end
if tried[1] then redis.call('HSET', tries_key, unpack(tried)) end
-- Later tickets must sort behind everything that was ever acknowledged.
if newest > tonumber(meta[3]) then redis.call('HSET', meta_key, 'last_ticket', newest) end
return {'filled', counts.restored, counts.present, counts.gone}
