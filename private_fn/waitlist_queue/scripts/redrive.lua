-- redrive: Puts a parked entry, which was set aside for an operator, back into the queue, and resets its attempts to 0.
-- PRELUDE clock cold rebuilding expiring claimed not_ready
-- NEEDS decisions places requeue tickets waiting
-- ARGV entry_id to parked_millis
-- RETURNS redriven|repeat stamp rank ticket position total worn_out_stamp worn_out_millis basis_stamp placed_stamp
-- RETURNS not_parked
local place = place_of(keys, entry_id)
local outcome, hold = 'redriven', place
-- If the entry was parked at a time other than `parked_millis`, it was returned to the queue and parked again after the
-- request was sent, so the request is too late.
local is_requested_parking = parked_millis == '' or
  tonumber(parked_millis) == tonumber(redis.call('ZSCORE', keys.parked, entry_id) or nil)
if hold and hold.state == 'parked' and is_requested_parking then
  hold.stamp, hold.attempts = next_stamp(keys, now), 0
  local wanted = to == 'back' and BACK + hold.stamp or hold.rank
  hold.rank = requeue(keys, entry_id, hold, wanted)
  decide(keys, entry_id, 'redriven', hold, '', 0)
else
  -- A later decision, such as a claim, does not undo the redrive. The request is still answered as a repeat, unless the
  -- customer has signed up again with a different ticket.
  outcome, hold = 'repeat', decision_by_token(keys, entry_id, 'redriven', '')
  if not hold or place and place.ticket ~= hold.ticket then return {'not_parked'} end
end
local attempts_exhausted = last_end_by(keys, entry_id, 'worn_out', hold.stamp)
local index = count_ahead(keys, entry_id)
return {outcome, hold.stamp, hold.rank, hold.ticket, index and index + 1,
  count_verified(keys),
  attempts_exhausted and attempts_exhausted.stamp or 0, attempts_exhausted and attempts_exhausted.at or 0,
  hold.basis, hold.placed}
