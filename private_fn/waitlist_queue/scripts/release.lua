-- release: Returns a claimed entry to the queue, at its old place or at the end. A repeated request changes nothing.
-- PRELUDE clock cold claimed
-- NEEDS decisions holds readiness requeue slots tickets waiting
-- ARGV entry_id token to delay_seconds
-- RETURNS released|repeat stamp rank ticket attempts position total basis_stamp placed_stamp until_millis
-- RETURNS expiring|not_held|claim_mismatch|claim_expired
local hold, refusal = check_token(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
if refusal ~= 'claim_expired' and meta_state == 'warm' and has_expired_holds(keys, now) then return {'expiring'} end
delay_seconds = tonumber(delay_seconds)
use_readiness(keys, meta_not_ready, hold and delay_seconds > 0 and 'delayed' or '')
local outcome = 'released'
if hold then
  hold.stamp = next_stamp(keys, now)
  give_back(keys, entry_id, hold)
  if delay_seconds > 0 then hold.until_millis = delay(keys, entry_id, 'delayed', delay_seconds, now) end
  local wanted = to == 'back' and BACK + hold.stamp or hold.rank
  hold.rank = requeue(keys, entry_id, hold, wanted)
  decide(keys, entry_id, 'released', hold, token, 0)
else
  -- A later decision, such as another claim, does not undo the release. The request is still answered as a repeat.
  outcome, hold = 'repeat', decision_by_token(keys, entry_id, 'released', token)
  if not hold then return {refusal} end
end
-- During a rebuild, entries may be missing, so the position is not known.
local index = meta_state == 'warm' and count_ahead(keys, entry_id)
return {outcome, hold.stamp, hold.rank, hold.ticket, hold.attempts, index and index + 1,
  index and count_verified(keys), hold.basis, hold.placed, hold.until_millis or 0}
