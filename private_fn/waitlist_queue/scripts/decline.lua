-- decline: gives the place of the offer that ends at a time to the next customer, and moves the entry to the end of
-- the queue; a repeat changes nothing, also when the entry has the next offer.
-- USES owner waiting reasons int_text clock expired ticket next_stamp segment_index tags enqueue run_length gap wake off_queue requeue decide pending_decisions
-- USES check_offer moves paid
-- KEYS meta queue not_ready unverified readiness held claims parked attempts tickets_of_moved dirty pending_decisions segments tags moves
-- ARGV entry_id ticket offered_until_millis once_key once_seconds now server_run_id
-- META state home hide_counts not_ready
-- RETURNS declined stamp rank ticket attempts token position total basis_stamp placed_stamp
-- RETURNS repeat stamp rank ticket attempts token position total basis_stamp placed_stamp
-- RETURNS cold | expiring | not_offered | offer_expired
local state = owned_state(meta_state, meta_home, server_run_id)
if not state then return {'cold'} end
if not meta_not_ready then keys.not_ready = nil end -- the list has never had an entry that was not ready
local declined_before = once_key ~= '' and tonumber(redis.call('ZSCORE', keys.moves, once_key) or nil)
local hold, refusal, deadline = nil, 'not_offered', nil
if not declined_before then
  hold, refusal, deadline = check_offer(keys, entry_id, ticket, offered_until_millis, now)
  if refusal == 'completed' then return {'not_offered'} end
end
if refusal ~= 'offer_expired' and state == 'warm' and has_expired_holds(keys, now) then return {'expiring'} end
local outcome = 'declined'
if hold then
  give_back(keys, entry_id, hold)
  hold.stamp = next_stamp(keys, now)
  hold.rank = requeue(keys, entry_id, hold, 255 * TIER + hold.stamp)
  decide(keys, entry_id, 'declined', hold, hold.token, deadline)
  redis.call('HINCRBY', keys.meta, 'declined', 1)
  if once_key ~= '' then remember_move(keys, once_key, hold.stamp, once_seconds) end
else
  -- A later decision, such as another offer, does not undo the decline.
  local meant = tonumber(offered_until_millis) or 0
  outcome, hold = 'repeat', find_decision(keys, entry_id, function(one)
    if one.verb ~= 'declined' or ticket ~= '' and one.ticket ~= tonumber(ticket) then return false end
    if declined_before then return one.stamp == declined_before end
    return meant == 0 or one.at == meant
  end)
  if not hold and declined_before then
    -- The record has it: that is all that the key can show.
    local rank = waiting_rank(keys, entry_id)
    hold = rank and {rank = rank, ticket = ticket_of(keys, entry_id, rank), attempts = 0} or
      read_hold(keys, entry_id)
    if hold then
      hold.stamp, hold.token, hold.basis, hold.placed = declined_before, '', false, false
    end
  end
  if not hold then return {refusal} end
end
-- The number of entries ahead is not known until the rebuild is complete. The customer gets this answer, so a total that
-- the list hides is left out.
local index = state == 'warm' and count_ahead(keys, entry_id)
return {outcome, hold.stamp, hold.rank, hold.ticket, hold.attempts, hold.token, index and index + 1,
  index and meta_hide_counts ~= '1' and count_verified(keys), hold.basis, hold.placed}
