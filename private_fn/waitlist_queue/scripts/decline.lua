-- decline: Declines an offer. The entry moves to the end of the queue, and the next entry can get an offer.
-- PRELUDE clock cold claimed not_ready
-- NEEDS decisions holds moves places requeue slots tickets waiting
-- ARGV entry_id ticket offered_until_millis once_key once_seconds
-- RETURNS declined|repeat stamp rank ticket attempts token position total basis_stamp placed_stamp
-- RETURNS expiring|not_offered|offer_expired
local declined_before = once_key ~= '' and tonumber(redis.call('ZSCORE', keys.moves, once_key) or nil)
local hold, refusal, deadline = nil, 'not_offered', nil
if not declined_before then
  hold, refusal, deadline = check_offer(keys, entry_id, ticket, offered_until_millis, now)
  if refusal == 'completed' then return {'not_offered'} end
end
if refusal ~= 'offer_expired' and meta_state == 'warm' and has_expired_holds(keys, now) then return {'expiring'} end
local outcome = 'declined'
if hold then
  give_back(keys, entry_id, hold)
  hold.stamp = next_stamp(keys, now)
  hold.rank = requeue(keys, entry_id, hold, BACK + hold.stamp)
  decide(keys, entry_id, 'declined', hold, hold.token, deadline)
  redis.call('HINCRBY', keys.meta, 'declined', 1)
  if once_key ~= '' then remember_move(keys, once_key, hold.stamp, once_seconds) end
else
  -- A later decision, such as another offer, does not undo the decline. The request is still answered as a repeat.
  local wanted_deadline = tonumber(offered_until_millis) or 0
  outcome, hold = 'repeat', find_decision(keys, entry_id, function(decision)
    if decision.verb ~= 'declined' or ticket ~= '' and decision.ticket ~= tonumber(ticket) then return false end
    if declined_before then return decision.stamp == declined_before end
    return wanted_deadline == 0 or decision.at == wanted_deadline
  end)
  if not hold and declined_before then
    -- The decline has been recorded already, so Redis knows only that the idempotency key was used.
    hold = place_of(keys, entry_id)
    if hold then
      hold.stamp, hold.token, hold.basis, hold.placed = declined_before, '', false, false
    end
  end
  if not hold then return {refusal} end
end
-- During a rebuild, Redis does not know how many entries are ahead. If the waitlist hides its counts from customers,
-- the total is left out.
local index = meta_state == 'warm' and count_ahead(keys, entry_id)
return {outcome, hold.stamp, hold.rank, hold.ticket, hold.attempts, hold.token, index and index + 1,
  index and meta_hide_counts ~= '1' and count_verified(keys), hold.basis, hold.placed}
