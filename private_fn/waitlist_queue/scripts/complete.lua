-- complete: ends a hold for good and admits its customer; a repeat with the token changes nothing.
-- USES owner clock ticket off_queue check_token admission
-- KEYS meta held claims unsettled tags inside
-- ARGV entry_id token now server_run_id
-- RETURNS completed stamp rank ticket attempts done_stamp inside_until_millis
-- RETURNS repeat stamp rank ticket attempts done_stamp inside_until_millis
-- RETURNS cold | not_held | claim_mismatch | claim_expired
now = micros(now) -- read once for the whole script
local meta = redis.call('HMGET', keys.meta, 'state', 'home', 'last_ticket', 'admitted',
  'segments_version', 'pass_seconds')
if not owned_state(meta[1], meta[2], server_run_id) then return {'cold'} end
if (meta[5] or '0') == '0' then keys.tags = nil end -- without segments no entry has tags
local hold, refusal = check_token(keys, entry_id, token, now)
if not hold then return {refusal} end
local stamp, admitted = ticket_after(meta[3], now), tonumber(meta[4])
local outcome, inside_until = 'repeat', nil
if refusal == 'completed' then
  inside_until = tonumber(redis.call('ZSCORE', keys.inside, entry_id) or 0)
else
  outcome, admitted = 'completed', admitted + 1
  inside_until = admit(keys, entry_id, hold, stamp, meta[6], now)
end
redis.call('HSET', keys.meta, 'last_ticket', stamp, 'admitted', admitted)
return {outcome, stamp, hold.rank, hold.ticket, hold.attempts, hold.stamp, inside_until}
