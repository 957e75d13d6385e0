-- restore: puts an entry back where the record has it, unless that stay in line has ended.
-- USES home moves text ticket segments tags retag put gap aside back recorded tombstone
-- KEYS meta queue gone moved held claims parked tries unsettled segments tags moves
-- ARGV entry_id join_id rank ticket stamp epoch once once_stamp once_seconds
-- ARGV state token time attempts segments_version new_tags seen here
-- RETURNS restored state position rank ticket total attempts
-- RETURNS present state position rank ticket total attempts
-- RETURNS gone | cold | stale_epoch | stale_segments
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
local moves_key = KEYS[12]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local rank = tonumber(ARGV[3])
local ticket = tonumber(ARGV[4])
local stamp = tonumber(ARGV[5])
local epoch = ARGV[6]
local once = ARGV[7]
local once_stamp = ARGV[8]
local once_seconds = ARGV[9]
local state = ARGV[10]
local token = ARGV[11]
local time = ARGV[12]
local attempts = tonumber(ARGV[13])
local segments_version = ARGV[14]
local new_tags = ARGV[15]
local seen = ARGV[16]
local here = ARGV[17]

local fields = {'state', 'epoch', 'last_ticket', 'segments_version', 'home'}
local meta = redis.call('HMGET', meta_key, unpack(fields))
if not at_home(meta[1], meta[5], here) then return {'cold'} end
if epoch ~= '' and epoch ~= meta[2] then return {'stale_epoch'} end
if segments_version ~= (meta[4] or '0') then return {'stale_segments'} end
if is_gone(gone_key, entry_id, join_id) then return {'gone'} end
-- Later tickets must sort behind everything that was ever acknowledged.
if stamp > tonumber(meta[3]) then redis.call('HSET', meta_key, 'last_ticket', stamp) end
if once ~= '' and once_stamp ~= '' then
  remember_move(moves_key, once, once_stamp, once_seconds)
end

local keys = {queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, unsettled = unsettled_key, segments = segments_key,
  tags = tags_key}
local note = {state = state, token = token, rank = rank, ticket = ticket, attempts = attempts,
  stamp = stamp}
local in_line = tonumber(redis.call('ZSCORE', queue_key, entry_id))
local aside = not in_line and note_of(claims_key, entry_id)
local is_put = is_to_be_put(keys, entry_id, seen, meta[1] == 'hydrating', note, in_line, aside)
local tags = segments_version ~= '0' and new_tags
tag_as_recorded(keys, entry_id, tags, note, in_line, aside, is_put)
local outcome = 'present'
if is_put then
  outcome = 'restored'
  rank = put_where_recorded(keys, entry_id, note, in_line, time)
elseif aside then
  state, rank, ticket, attempts = aside.state, aside.rank, aside.ticket, aside.attempts
else
  state, rank, ticket = 'waiting', in_line, ticket_of(moved_key, entry_id, in_line)
  attempts = tonumber(redis.call('HGET', tries_key, entry_id) or 0)
end
local position = meta[1] == 'warm' and redis.call('ZRANK', queue_key, entry_id)
if not position then return {outcome, state, -1, rank, ticket, -1, attempts} end
return {outcome, state, position + 1, rank, ticket, redis.call('ZCARD', queue_key), attempts}
