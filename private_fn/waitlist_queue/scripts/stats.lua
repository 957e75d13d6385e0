-- stats: counts, also while the order is rebuilt.
-- USES owner clock ticket
-- KEYS meta queue tickets_of_moved held parked inside
-- ARGV now server_run_id
-- META state epoch signed_up left admitted segments_state home pace quota entered declined no_shows
-- RETURNS stats state epoch segments_state waiting offered parked inside counters head_ticket oldest_parked_millis pace quota
-- EACH counters signed_up left admitted entered declined no_shows
-- RETURNS cold
if not owned_state(meta_state, meta_home, server_run_id) then return {'cold'} end
local head_id, head_rank = unpack(redis.call('ZRANGE', keys.queue, 0, 0, 'WITHSCORES'))
local head_ticket = head_id and ticket_of(keys, head_id, tonumber(head_rank)) or false
local _, oldest_parked = unpack(redis.call('ZRANGE', keys.parked, 0, 0, 'WITHSCORES'))
local waiting, offered = redis.call('ZCARD', keys.queue), redis.call('ZCARD', keys.held)
local inside = redis.call('ZCOUNT', keys.inside, '(' .. math.floor(micros(now) / 1000), '+inf')
local parked, left, admitted = redis.call('ZCARD', keys.parked), meta_left, meta_admitted
-- After a loss of Redis the counters continue from up to a minute before it.
local signed_up = math.max(meta_signed_up, waiting + offered + parked + left + admitted)
return {'stats', meta_state, meta_epoch, meta_segments_state or 'ready', waiting, offered, parked, inside,
  {signed_up, tonumber(left), tonumber(admitted), tonumber(meta_entered or 0), tonumber(meta_declined or 0),
  tonumber(meta_no_shows or 0)}, head_ticket, tonumber(oldest_parked) or false,
  meta_pace or 'unknown', tonumber(meta_quota or 0)}
