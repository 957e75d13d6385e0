-- page: reads entries in serving order, those behind a rank or from a position on.
-- USES home state
-- KEYS meta queue moved
-- ARGV after_rank first limit here
-- RETURNS page total first_position entries moved_tickets | cold | rebuilding

local state = state_here(keys, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local lowest = after_rank == '' and '-inf' or '(' .. after_rank
local total = redis.call('ZCARD', keys.queue)
-- entry_id, rank, entry_id, rank, … of at most `limit` entries
local entries
if first == '' then
  entries = redis.call('ZRANGEBYSCORE', keys.queue, lowest, '+inf', 'WITHSCORES',
    'LIMIT', 0, limit)
else
  entries = redis.call('ZRANGE', keys.queue, first - 1, first + limit - 2, 'WITHSCORES')
end
if #entries == 0 then return {'page', total, 0, {}, {}} end
local ids = {}
for i = 1, #entries, 2 do ids[#ids + 1] = entries[i] end
local first_position = redis.call('ZRANK', keys.queue, ids[1]) + 1
return {'page', total, first_position, entries, redis.call('HMGET', keys.moved, unpack(ids))}
