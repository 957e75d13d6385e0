-- restore: puts an entry back at its recorded rank, unless that stay in line has ended.
-- USES ticket clock put gap tombstone
-- KEYS meta queue gone moved once
-- ARGV entry_id join_id rank ticket stamp epoch overwrite once_stamp once_seconds
-- RETURNS restored position rank ticket total | present position rank ticket total
-- RETURNS gone | cold | stale_epoch
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local once_key = KEYS[5]
local entry_id = ARGV[1]
local join_id = ARGV[2]
local rank = tonumber(ARGV[3])
local ticket = tonumber(ARGV[4])
local stamp = tonumber(ARGV[5])
local epoch = ARGV[6]
local overwrite = ARGV[7]
local once_stamp = ARGV[8]
local once_seconds = ARGV[9]

local meta = redis.call('HMGET', meta_key, 'state', 'epoch', 'last_ticket')
if not meta[1] then return {'cold'} end
if epoch ~= '' and epoch ~= meta[2] then return {'stale_epoch'} end
if is_gone(gone_key, entry_id, join_id) then return {'gone'} end
-- Later tickets must sort behind everything that was ever acknowledged.
if stamp > tonumber(meta[3]) then redis.call('HSET', meta_key, 'last_ticket', stamp) end
if once_stamp ~= '' then redis.call('SET', once_key, once_stamp, 'EX', once_seconds, 'NX') end

local outcome = 'present'
local present = tonumber(redis.call('ZSCORE', queue_key, entry_id))
if not present or (overwrite == '1' and meta[1] == 'hydrating' and present ~= rank) then
  outcome = 'restored'
  -- Its own old rank must not stand in its way to the new one.
  if present then redis.call('ZREM', queue_key, entry_id) end
  rank = free_rank(queue_key, entry_id, rank) or rank
  put(queue_key, moved_key, entry_id, rank, ticket)
else
  rank = present
  ticket = ticket_of(moved_key, entry_id, rank)
end
if meta[1] == 'hydrating' then return {outcome, -1, rank, ticket, -1} end
local position = redis.call('ZRANK', queue_key, entry_id) + 1
return {outcome, position, rank, ticket, redis.call('ZCARD', queue_key)}
