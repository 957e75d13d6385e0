-- stats: counts, also while the order is rebuilt.
-- USES home ticket
-- KEYS meta queue moved held parked
-- ARGV here
-- RETURNS stats state epoch segments_state waiting offered parked signed_up left admitted head oldest
-- RETURNS cold

local meta = redis.call('HMGET', keys.meta, 'state', 'epoch', 'signed_up', 'left', 'admitted',
  'segments_state', 'home')
if not at_home(meta[1], meta[7], here) then return {'cold'} end
local head = redis.call('ZRANGE', keys.queue, 0, 0, 'WITHSCORES')
local head_ticket = -1
if head[1] then head_ticket = ticket_of(keys, head[1], tonumber(head[2])) end
local oldest_parked = redis.call('ZRANGE', keys.parked, 0, 0, 'WITHSCORES')[2] or -1
return {'stats', meta[1], meta[2], meta[6] or 'ready', redis.call('ZCARD', keys.queue),
  redis.call('ZCARD', keys.held), redis.call('ZCARD', keys.parked), tonumber(meta[3]),
  tonumber(meta[4]), tonumber(meta[5]), head_ticket, tonumber(oldest_parked)}
