-- fill: puts entries that wait back where the record has them, unless Redis has them somewhere.
-- USES home text ticket segments tags retag put gap aside back recorded
-- KEYS meta queue gone moved held claims parked tries unsettled segments tags
-- ARGV epoch segments_version stays here
-- Stays are "entry_id:join_id:rank:ticket:stamp:attempts:tags", a space between two, nobody twice.
-- RETURNS filled restored present gone
-- RETURNS cold | stale_epoch | stale_segments
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local tries_key = KEYS[8]
local unsettled_key = KEYS[9]
local segments_key = KEYS[10]
local tags_key = KEYS[11]
local epoch = ARGV[1]
local segments_version = ARGV[2]
local stays = ARGV[3]
local here = ARGV[4]

local fields = {'state', 'epoch', 'last_ticket', 'segments_version', 'home'}
local meta = redis.call('HMGET', meta_key, unpack(fields))
if not at_home(meta[1], meta[5], here) then return {'cold'} end
if epoch ~= meta[2] then return {'stale_epoch'} end
if segments_version ~= (meta[4] or '0') then return {'stale_segments'} end
local keys = {queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, unsettled = unsettled_key, segments = segments_key,
  tags = tags_key}
local counts = {restored = 0, present = 0, gone = 0}
local newest = tonumber(meta[3])
local ids, names, notes = {}, {}, {}
local stay = '((%w+):%w+):(%d+):(%d+):(%d+):(%d+):(%S*)'
for name, entry_id, rank, ticket, stamp, attempts, tags in string.gmatch(stays, stay) do
  -- A tombstone is called like the stay that it ends.
  ids[#ids + 1], names[#names + 1] = entry_id, name
  notes[#ids] = {state = 'waiting', token = '', rank = tonumber(rank), ticket = tonumber(ticket),
    stamp = tonumber(stamp), attempts = tonumber(attempts), tags = segments_version ~= '0' and tags}
end
local tombs = redis.call('ZMSCORE', gone_key, unpack(names))
local ranks = redis.call('ZMSCORE', queue_key, unpack(ids))
local asides = redis.call('HMGET', claims_key, unpack(ids))

local function fill(entry_id, note, tomb, in_line, is_aside)
  if tomb then return 'gone' end
  newest = math.max(newest, note.stamp)
  local aside = is_aside and note_of(claims_key, entry_id)
  local is_absent = not in_line and not aside
  tag_as_recorded(keys, entry_id, note.tags, note, in_line, aside, is_absent)
  if not is_absent then return 'present' end
  put(keys, entry_id, free_rank(queue_key, entry_id, note.rank) or note.rank, note.ticket)
  if note.attempts > 0 then redis.call('HSET', tries_key, entry_id, note.attempts) end
  return 'restored'
end

for number, entry_id in ipairs(ids) do
  local outcome = fill(entry_id, notes[number], tombs[number], tonumber(ranks[number] or nil),
    asides[number])
  counts[outcome] = counts[outcome] + 1
end
-- Later tickets must sort behind everything that was ever acknowledged.
if newest > tonumber(meta[3]) then redis.call('HSET', meta_key, 'last_ticket', newest) end
return {'filled', counts.restored, counts.present, counts.gone}
