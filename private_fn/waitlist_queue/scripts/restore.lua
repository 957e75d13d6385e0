-- restore: puts an entry back where the record has it, unless that stay in line has ended.
-- USES text clock ticket put gap aside back tombstone
-- KEYS meta queue gone moved held claims parked tries once
-- ARGV entry_id join_id rank ticket stamp epoch overwrite once_stamp once_seconds
-- ARGV state token time attempts
-- RETURNS restored state position rank ticket total attempts
-- RETURNS present state position rank ticket total attempts
-- RETURNS gone | cold | stale_epoch
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local tries_key = KEYS[8]
local once_key = KEYS[9]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local rank = tonumber(ARGV[3])
local ticket = tonumber(ARGV[4])
local stamp = tonumber(ARGV[5])
local epoch = ARGV[6]
local overwrite = ARGV[7]
local once_stamp = ARGV[8]
local once_seconds = ARGV[9]
local state = ARGV[10]
local token = ARGV[11]
local time = ARGV[12]
local attempts = tonumber(ARGV[13])

local meta = redis.call('HMGET', meta_key, 'state', 'epoch', 'last_ticket')
if not meta[1] then return {'cold'} end
if epoch ~= '' and epoch ~= meta[2] then return {'stale_epoch'} end
if is_gone(gone_key, entry_id, join_id) then return {'gone'} end
-- Later tickets must sort behind everything that was ever acknowledged.
if stamp > tonumber(meta[3]) then redis.call('HSET', meta_key, 'last_ticket', stamp) end
if once_stamp ~= '' then redis.call('SET', once_key, once_stamp, 'EX', once_seconds, 'NX') end

local keys = {queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key}
local note = {state = state, token = token, rank = rank, ticket = ticket, attempts = attempts}
local outcome = 'present'
local in_line = tonumber(redis.call('ZSCORE', queue_key, entry_id))
local aside = not in_line and note_of(claims_key, entry_id)
-- An admission is news to any record that asks for this.
local done = aside and aside.state == 'done' and aside.ticket == ticket
local same = done or state == 'waiting' and in_line == rank
if not (in_line or aside) or (overwrite == '1' and meta[1] == 'hydrating' and not same) then
  outcome = 'restored'
  -- Its own old rank must not stand in its way to the new one.
  redis.call('ZREM', queue_key, entry_id)
  rank = return_to_line(keys, entry_id, note, rank)
  if state ~= 'waiting' then
    redis.call('ZREM', queue_key, entry_id)
    redis.call('HDEL', moved_key, entry_id)
    redis.call('HDEL', tries_key, entry_id)
    redis.call('ZADD', state == 'held' and held_key or parked_key, time, entry_id)
    write_note(claims_key, entry_id, note)
  end
elseif aside then
  state, rank, ticket, attempts = aside.state, aside.rank, aside.ticket, aside.attempts
else
  state, rank, ticket = 'waiting', in_line, ticket_of(moved_key, entry_id, in_line)
  attempts = tonumber(redis.call('HGET', tries_key, entry_id) or 0)
end
local position = meta[1] == 'warm' and redis.call('ZRANK', queue_key, entry_id)
if not position then return {outcome, state, -1, rank, ticket, -1, attempts} end
return {outcome, state, position + 1, rank, ticket, redis.call('ZCARD', queue_key), attempts}
