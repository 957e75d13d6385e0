-- restore: puts an entry back where the record has it, unless that stay in line has ended.
-- USES home moves text ticket segments tags retag put gap aside back recorded tombstone
-- KEYS meta queue gone moved held claims parked tries unsettled segments tags moves
-- ARGV entry_id join_id rank ticket stamp epoch once once_stamp once_seconds
-- ARGV state token time attempts segments_version new_tags seen here
-- RETURNS restored state position rank ticket total attempts
-- RETURNS present state position rank ticket total attempts
-- RETURNS gone | cold | stale_epoch | stale_segments
rank, ticket = tonumber(rank), tonumber(ticket)
stamp, attempts = tonumber(stamp), tonumber(attempts)

local fields = {'state', 'epoch', 'last_ticket', 'segments_version', 'home'}
local meta = redis.call('HMGET', keys.meta, unpack(fields))
if not at_home(meta[1], meta[5], here) then return {'cold'} end
if epoch ~= '' and epoch ~= meta[2] then return {'stale_epoch'} end
if segments_version ~= (meta[4] or '0') then return {'stale_segments'} end
if is_gone(keys, entry_id, join_id) then return {'gone'} end
-- Later tickets must sort behind everything that was ever acknowledged.
if stamp > tonumber(meta[3]) then redis.call('HSET', keys.meta, 'last_ticket', stamp) end
if once ~= '' and once_stamp ~= '' then
  remember_move(keys, once, once_stamp, once_seconds)
end

local note = {state = state, token = token, rank = rank, ticket = ticket, attempts = attempts,
  stamp = stamp}
local in_line = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
local aside = not in_line and note_of(keys, entry_id)
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
  state, rank, ticket = 'waiting', in_line, ticket_of(keys, entry_id, in_line)
  attempts = tonumber(redis.call('HGET', keys.tries, entry_id) or 0)
end
local position = meta[1] == 'warm' and redis.call('ZRANK', keys.queue, entry_id)
if not position then return {outcome, state, -1, rank, ticket, -1, attempts} end
return {outcome, state, position + 1, rank, ticket, redis.call('ZCARD', keys.queue), attempts}
