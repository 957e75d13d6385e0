-- withdraw: Takes back an offer. The entry returns to its former place in the queue. If the policy allows an
-- offer now, the next entry gets it.
-- PRELUDE clock cold claimed passing_over
-- NEEDS decisions expiry holds offers readiness requeue slots tickets waiting
-- ARGV entry_id ticket token offered_until_millis hours tokens
-- `hours` contains the opening hours in the form "opens:closes", separated by spaces.
-- RETURNS withdrawn|repeat stamp rank ticket attempts token position total entries is_automatic basis_stamp placed_stamp
-- EACH entries entry_id token deadline_millis attempts rank ticket expired_stamp no_show_stamp ended_millis stamp basis_stamp placed_stamp filter_index
-- RETURNS not_offered|offer_expired|expiring

local hold, refusal, deadline = check_offer(keys, entry_id, ticket, token, offered_until_millis, now)
if refusal == 'completed' then hold, refusal = nil, 'not_offered' end
local outcome, entries, is_automatic = 'withdrawn', {}, false
if hold then
  local may_offer = meta_state == 'warm' and meta_paused ~= '1'
  if may_offer and not (end_expired(keys, tonumber(meta_max_attempts), now) and end_expired_reasons(keys, now)) then
    return {'expiring'}
  end
  hold.stamp = next_stamp(keys, now)
  give_back(keys, entry_id, hold)
  no_longer_held(keys, entry_id)
  -- The entry is not in the queue yet, so it cannot get the slot again.
  if may_offer then entries, is_automatic = offer_next(keys, tokens, hold.stamp, hours, now) end
  hold.rank = requeue(keys, entry_id, hold, hold.rank)
  decide(keys, entry_id, 'withdrawn', hold, hold.token, deadline)
else
  -- A later decision, such as another offer, does not undo the withdrawal. The request is still answered as a repeat.
  outcome, hold = 'repeat', find_decision(keys, entry_id, function(decision)
    return decision.verb == 'withdrawn' and (ticket == '' or decision.ticket == tonumber(ticket)) and
      (token == '' or decision.token == token) and
      ((tonumber(offered_until_millis) or 0) == 0 or decision.at == tonumber(offered_until_millis))
  end)
  if not hold then return {refusal} end
end
-- During a rebuild, entries may be missing, so the position is not known.
local index = meta_state == 'warm' and count_ahead(keys, entry_id)
return {outcome, hold.stamp, hold.rank, hold.ticket, hold.attempts, hold.token, index and index + 1,
  index and count_verified(keys), entries, is_automatic, hold.basis, hold.placed}
