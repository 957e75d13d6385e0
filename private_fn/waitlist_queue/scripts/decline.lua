-- decline: gives an offered place to the next customer and moves the entry to the end of the queue; a repeat
-- changes nothing.
-- USES owner state clock ticket next_stamp segment_index tags enqueue gap off_queue requeue decide decided check_offer wake paid
-- KEYS meta queue held claims parked attempts moved unsettled decided segments tags
-- ARGV entry_id ticket now server_run_id
-- RETURNS declined stamp rank ticket attempts token position total basis_stamp placed_stamp
-- RETURNS repeat stamp rank ticket attempts token position total basis_stamp placed_stamp
-- RETURNS cold | not_offered | offer_expired
local state = read_state(keys, server_run_id)
if not state then return {'cold'} end
local hold, refusal = check_offer(keys, entry_id, ticket, now)
if refusal == 'completed' then return {'not_offered'} end
local outcome = 'declined'
if hold then
  give_back(keys, entry_id, hold)
  hold.stamp = next_stamp(keys, now)
  hold.rank = requeue(keys, entry_id, hold, 255 * TIER + hold.stamp)
  decide(keys, entry_id, 'declined', hold, hold.token, 0)
  wake(keys)
else
  -- A later decision, such as another offer, does not undo the decline.
  outcome, hold = 'repeat', find_decision(keys, entry_id, function(one)
    return one.verb == 'declined' and (ticket == '' or one.ticket == tonumber(ticket))
  end)
  if not hold then return {refusal} end
end
-- The number of entries ahead is not known until the rebuild is complete.
local index = state == 'warm' and redis.call('ZRANK', keys.queue, entry_id)
return {outcome, hold.stamp, hold.rank, hold.ticket, hold.attempts, hold.token, index and index + 1,
  index and redis.call('ZCARD', keys.queue), hold.basis, hold.placed}
