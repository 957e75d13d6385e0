-- extend: Renews the lease of a claimed entry, beginning now.
-- USES owner clock ticket next_stamp wake off_queue check_token
-- KEYS meta held claimed claims dirty
-- ARGV entry_id token lease_seconds now server_run_id
-- META state lease_seconds owner max_claims
-- RETURNS extended stamp deadline_millis rank ticket attempts basis_stamp placed_stamp
-- RETURNS cold | not_held | claim_mismatch | claim_expired
if not owned_state(meta_state, meta_owner, server_run_id) then return {'cold'} end
if not meta_max_claims then keys.claimed = nil end -- claims are counted only on a waitlist with a claim limit
local hold, refusal = check_token(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
if not hold then return {refusal} end
if lease_seconds == '' then lease_seconds = meta_lease_seconds end
local deadline = math.floor(micros(now) / 1000) + tonumber(lease_seconds) * 1000
hold.stamp = next_stamp(keys, now)
hold_until(keys, entry_id, hold.state, deadline)
write_hold(keys, entry_id, hold)
mark_dirty(keys, entry_id, hold.stamp)
return {'extended', hold.stamp, deadline, hold.rank, hold.ticket, hold.attempts, hold.basis, 0}
