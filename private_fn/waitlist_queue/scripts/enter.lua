-- enter: Accepts an offer and admits the customer. A repeated request changes nothing.
-- USES owner clock ticket wake off_queue check_offer paid inside admission
-- KEYS meta held claims dirty tags inside visits
-- ARGV entry_id ticket offered_until_millis now server_run_id
-- META state owner last_ticket segments_version pass_seconds
-- RETURNS entered stamp rank ticket attempts token done_stamp inside_until_millis basis_stamp placed_stamp
-- RETURNS repeat stamp rank ticket attempts token done_stamp inside_until_millis basis_stamp placed_stamp
-- RETURNS cold | not_offered | offer_expired
now = micros(now) -- read the clock only once for the whole script
if not owned_state(meta_state, meta_owner, server_run_id) then return {'cold'} end
if meta_segments_version == '0' then keys.tags = nil end -- entries have no tags on a waitlist without segments
local hold, refusal = check_offer(keys, entry_id, ticket, offered_until_millis, now)
if not hold then return {refusal} end
local stamp = ticket_after(meta_last_ticket, now)
local outcome, inside_until = 'repeat', tonumber(redis.call('ZSCORE', keys.inside, entry_id) or 0)
if refusal ~= 'completed' then
  outcome, inside_until = 'entered', pass_end(meta_pass_seconds, now)
  admit(keys, entry_id, hold, stamp, inside_until)
  redis.call('HINCRBY', keys.meta, 'admitted', 1)
end
redis.call('HSET', keys.meta, 'last_ticket', stamp)
return {outcome, stamp, hold.rank, hold.ticket, hold.attempts, hold.token, hold.stamp, inside_until,
  outcome == 'entered' and hold.basis, outcome == 'entered' and 0}
