-- extend: Extends an entry's claim with a new lease that begins now.
-- PRELUDE clock cold claimed
-- NEEDS holds tickets
-- ARGV entry_id token lease_seconds
-- RETURNS extended stamp deadline_millis rank ticket attempts basis_stamp placed_stamp
-- RETURNS not_held|claim_mismatch|claim_expired
local hold, refusal = check_token(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
if not hold then return {refusal} end
if lease_seconds == '' then lease_seconds = meta_lease_seconds end
local deadline = math.floor(now / 1000) + tonumber(lease_seconds) * 1000
hold.stamp = next_stamp(keys, now)
hold_until(keys, entry_id, hold.state, deadline)
write_hold(keys, entry_id, hold)
mark_dirty(keys, entry_id, hold.stamp)
return {'extended', hold.stamp, deadline, hold.rank, hold.ticket, hold.attempts, hold.basis, 0}
