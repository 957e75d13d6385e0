-- stats: counts, also while the order is rebuilt.
-- USES owner clock ticket
-- KEYS meta queue tickets_of_moved held parked inside
-- ARGV now server_run_id
-- RETURNS stats state epoch segments_state waiting offered parked inside counters head_ticket oldest_parked_millis pace quota
-- EACH counters signed_up left admitted entered declined no_shows
-- RETURNS cold
local meta = redis.call('HMGET', keys.meta, 'state', 'epoch', 'signed_up', 'left', 'admitted',
  'segments_state', 'home', 'pace', 'quota', 'entered', 'declined', 'no_shows')
if not owned_state(meta[1], meta[7], server_run_id) then return {'cold'} end
local head = redis.call('ZRANGE', keys.queue, 0, 0, 'WITHSCORES')
local head_ticket = head[1] and ticket_of(keys, head[1], tonumber(head[2])) or false
local oldest_parked = redis.call('ZRANGE', keys.parked, 0, 0, 'WITHSCORES')[2]
local waiting, offered = redis.call('ZCARD', keys.queue), redis.call('ZCARD', keys.held)
local inside = redis.call('ZCOUNT', keys.inside, '(' .. math.floor(micros(now) / 1000), '+inf')
local parked, left, admitted = redis.call('ZCARD', keys.parked), meta[4], meta[5]
-- After a loss of Redis the counters continue from up to a minute before it.
local signed_up = math.max(meta[3], waiting + offered + parked + left + admitted)
return {'stats', meta[1], meta[2], meta[6] or 'ready', waiting, offered, parked, inside,
  {signed_up, tonumber(left), tonumber(admitted), tonumber(meta[10] or 0), tonumber(meta[11] or 0),
  tonumber(meta[12] or 0)}, head_ticket, tonumber(oldest_parked) or false,
  meta[8] or 'unknown', tonumber(meta[9] or 0)}
