-- page: reads entries in serving order, those behind a rank or from a position on.
-- USES home state
-- KEYS meta queue moved
-- ARGV after_rank first limit here
-- RETURNS page total first_position entries moved_tickets | cold | rebuilding
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local moved_key = KEYS[3]
local after_rank = ARGV[1]
local first = ARGV[2]
local limit = ARGV[3]
local here = ARGV[4]

local state = state_here(meta_key, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local lowest = after_rank == '' and '-inf' or '(' .. after_rank
local total = redis.call('ZCARD', queue_key)
-- entry_id, rank, entry_id, rank, … of at most `limit` entries
local entries
if first == '' then
  entries = redis.call('ZRANGEBYSCORE', queue_key, lowest, '+inf', 'WITHSCORES',
    'LIMIT', 0, limit)
else
  entries = redis.call('ZRANGE', queue_key, first - 1, first + limit - 2, 'WITHSCORES')
end
if #entries == 0 then return {'page', total, 0, {}, {}} end
local ids = {}
for i = 1, #entries, 2 do ids[#ids + 1] = entries[i] end
local first_position = redis.call('ZRANK', queue_key, ids[1]) + 1
return {'page', total, first_position, entries, redis.call('HMGET', moved_key, unpack(ids))}
