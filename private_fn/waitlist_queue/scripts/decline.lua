-- decline: Declines an offer. The slot can then be offered to the next entry.
-- PRELUDE clock cold claimed
-- NEEDS decisions holds moves places readiness requeue slots tickets waiting
-- ARGV entry_id ticket token offered_until_millis to pause_seconds at_most declines once_key once_seconds
-- If `to` is `place`, the customer can decline `at_most` offers without losing their place in the queue. After each of
-- these declines, the entry is passed over for `pause_seconds`. In all other cases, the entry moves to the end of the
-- queue.
--
-- `declines` is the number of declines that the entry's record contains.
-- RETURNS declined|repeat stamp rank ticket attempts token position total basis_stamp placed_stamp until_millis declines
-- RETURNS expiring|not_offered|offer_expired
local declined_before = once_key ~= '' and tonumber(redis.call('ZSCORE', keys.moves, once_key) or nil)
local hold, refusal, deadline = nil, 'not_offered', nil
if not declined_before then
  hold, refusal, deadline = check_offer(keys, entry_id, ticket, token, offered_until_millis, now)
  if refusal == 'completed' then return {'not_offered'} end
end
if refusal ~= 'offer_expired' and meta_state == 'warm' and has_expired_holds(keys, now) then return {'expiring'} end
pause_seconds = tonumber(pause_seconds)
use_readiness(keys, meta_not_ready, hold and to == 'place' and pause_seconds > 0 and 'declined' or '')
local outcome = 'declined'
if hold then
  give_back(keys, entry_id, hold)
  hold.stamp = next_stamp(keys, now)
  -- The record may not contain the last decline yet. Each decline has a number, so no decline is counted twice.
  local last = find_decision(keys, entry_id, function(decision)
    return decision.verb == 'declined' and decision.ticket == hold.ticket
  end)
  hold.declines = math.max(tonumber(declines), last and last.declines or 0) + 1
  local keeps_place = to == 'place' and hold.declines <= tonumber(at_most)
  if keeps_place and pause_seconds > 0 then
    hold.until_millis = delay(keys, entry_id, 'declined', pause_seconds, now)
  end
  hold.rank = requeue(keys, entry_id, hold, keeps_place and hold.rank or BACK + hold.stamp)
  decide(keys, entry_id, 'declined', hold, hold.token, deadline)
  redis.call('HINCRBY', keys.meta, 'declined', 1)
  if once_key ~= '' then remember_move(keys, once_key, hold.stamp, once_seconds) end
else
  -- A later decision, such as another offer, does not undo the decline. The request is still answered as a repeat.
  local wanted_deadline = tonumber(offered_until_millis) or 0
  outcome, hold = 'repeat', find_decision(keys, entry_id, function(decision)
    if decision.verb ~= 'declined' or ticket ~= '' and decision.ticket ~= tonumber(ticket) then return false end
    if declined_before then return decision.stamp == declined_before end
    if token ~= '' and decision.token ~= token then return false end
    return wanted_deadline == 0 or decision.at == wanted_deadline
  end)
  if not hold and declined_before then
    -- The decline has already been recorded, so Redis only knows that the idempotency key was used.
    hold = place_of(keys, entry_id)
    if hold then
      hold.stamp, hold.token, hold.basis, hold.placed = declined_before, '', false, false
    end
  end
  if not hold then return {refusal} end
end
-- During a rebuild, entries ahead of this entry may still be missing in Redis, so the reply contains no position. If
-- the waitlist hides its counts from customers, the reply contains no total.
local index = meta_state == 'warm' and count_ahead(keys, entry_id)
return {outcome, hold.stamp, hold.rank, hold.ticket, hold.attempts, hold.token, index and index + 1,
  index and meta_hide_counts ~= '1' and count_verified(keys), hold.basis, hold.placed,
  hold.until_millis or 0, hold.declines or 0}
