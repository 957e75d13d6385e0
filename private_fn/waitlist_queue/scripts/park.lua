-- park: Parks a claimed entry, that is, sets it aside for an operator. A repeated request changes nothing.
-- PRELUDE clock cold claimed
-- NEEDS decisions holds slots tickets
-- ARGV entry_id token
-- RETURNS parked|repeat stamp parked_millis rank ticket attempts basis_stamp placed_stamp
-- RETURNS not_held|claim_mismatch|claim_expired
local hold, refusal = check_token(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
if not hold then
  local done = decision_by_token(keys, entry_id, 'parked', token)
  if not done then return {refusal} end
  return {'repeat', done.stamp, done.at, done.rank, done.ticket, done.attempts, done.basis,
    done.placed}
end
local millis = math.floor(now / 1000)
hold.stamp = next_stamp(keys, now)
give_back(keys, entry_id, hold)
park(keys, entry_id, hold, millis)
decide(keys, entry_id, 'parked', hold, token, millis)
return {'parked', hold.stamp, millis, hold.rank, hold.ticket, hold.attempts, hold.basis,
  hold.placed}
