-- enter: Accepts an offer and admits the customer. A repeated request changes nothing.
-- PRELUDE clock cold claimed tags
-- NEEDS admission holds tickets
-- ARGV entry_id ticket token offered_until_millis
-- RETURNS entered|repeat stamp rank ticket attempts token done_stamp inside_until_millis basis_stamp placed_stamp
-- RETURNS not_offered|offer_expired
local hold, refusal = check_offer(keys, entry_id, ticket, token, offered_until_millis, now)
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
