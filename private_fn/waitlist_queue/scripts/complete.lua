-- complete: ends a hold for good and admits its customer; a repeat with the token changes nothing.
-- USES owner clock ticket off_queue check_token
-- KEYS meta held claims unsettled tags
-- ARGV entry_id token now server_run_id
-- RETURNS completed stamp rank ticket attempts done_stamp
-- RETURNS repeat stamp rank ticket attempts done_stamp
-- RETURNS cold | not_held | claim_mismatch | claim_expired
now = micros(now) -- read once for the whole script
local meta = redis.call('HMGET', keys.meta, 'state', 'home', 'last_ticket', 'admitted',
  'segments_version')
if not owned_state(meta[1], meta[2], server_run_id) then return {'cold'} end
local hold, refusal = check_token(keys, entry_id, token, now)
if not hold then return {refusal} end
local stamp, admitted = ticket_after(meta[3], now), tonumber(meta[4])
local outcome = 'repeat'
if refusal ~= 'completed' then
  outcome, hold.state, hold.stamp, admitted = 'completed', 'done', stamp, admitted + 1
  write_hold(keys, entry_id, hold)
  redis.call('ZREM', keys.held, entry_id)
  if (meta[5] or '0') ~= '0' then redis.call('HDEL', keys.tags, entry_id) end
  mark_dirty(keys, entry_id, stamp)
end
redis.call('HSET', keys.meta, 'last_ticket', stamp, 'admitted', admitted)
return {outcome, stamp, hold.rank, hold.ticket, hold.attempts, hold.stamp}
