-- end_stay: Removes an entry from the waitlist for good. `counts_as` names the counter to increment.
-- PRELUDE clock cold claimed not_ready watched
-- NEEDS inside places policy slots take_out tickets tombstone
-- ARGV entry_id join_id ticket known_stamp counts_as is_erased unless_placed inside_until_millis
-- If `unless_placed` is 1 and Redis still has the entry in the queue, claimed, offered or parked, the script keeps the
-- entry and returns `present`. From then on, the customer counts as inside until `inside_until_millis`, or not at all
-- if this time is 0. If this time is empty, the script does not change whether the customer counts as inside.
-- RETURNS left|dropped|absent|present stamp ended_stamp ticket
local ended = tombstone_of(keys, entry_id, join_id)
local place, visit = place_of(keys, entry_id), visit_of(keys, entry_id)
-- If the customer has signed up again since this message was sent, the message is late and must not change the new
-- signup.
local is_late = ticket == '' and ended and (place or visit) or
  ticket ~= '' and (place and place.ticket ~= tonumber(ticket) or visit and visit > tonumber(ticket))
if is_erased == '1' and not is_late then
  redis.call('UNLINK', keys.moves)
  redis.call('HDEL', keys.pending_decisions, entry_id)
  if take_outside(keys, entry_id) then wake(keys) end
end
if is_late then
  -- If the customer has signed up again, the new signup decides whether the customer is inside.
elseif inside_until_millis == '0' then
  if take_outside(keys, entry_id) then wake(keys) end
elseif inside_until_millis ~= '' then
  local present = visit == tonumber(ticket) and redis.call('ZSCORE', keys.inside, entry_id)
  -- If the customer left during a rebuild, the customer stays outside (see exit.lua). Otherwise the customer is inside
  -- until the recorded time.
  if tonumber(present or KEPT) ~= LEFT_DURING_REBUILD then
    put_inside(keys, entry_id, ticket, inside_until_millis)
  end
end
local stamp = next_stamp(keys, now, nil, known_stamp)
if unless_placed == '1' and place then return {'present', stamp, 0, place.ticket} end
if ended then
  -- The entry was already removed, but Redis may have its place again. This happens if a server without the newest
  -- writes takes over.
  if ticket ~= '' then take_out(keys, entry_id, place, ticket, counts_as == 'admitted') end
  return {'absent', stamp, ended, ticket_of_tombstone(keys, entry_id, join_id, ended)}
end
local was = take_out(keys, entry_id, place, ticket, counts_as == 'admitted')
local found = was and was ~= 'other' and place.ticket or false
add_tombstone(keys, entry_id, join_id, stamp, ticket == '' and found)
if counts_as == 'left' or counts_as == 'declined' then
  -- If the signup has a ticket, its entry had a place in the queue, even if Redis has lost this place.
  if was == 'other' or (not was and ticket == '') then return {'absent', stamp, stamp, found} end
  -- If the customer was admitted after the intent to leave was written, the admission does not count.
  local had_offer = was == 'offered' or was == 'done' and is_entered(place)
  if was == 'done' then
    uncount_admission(keys, place)
    give_back(keys, entry_id, place)
    if take_outside(keys, entry_id) then wake(keys) end
  end
  redis.call('HINCRBY', keys.meta, 'left', 1)
  if counts_as == 'declined' and had_offer then redis.call('HINCRBY', keys.meta, 'declined', 1) end
  return {'left', stamp, stamp, found}
end
if not was or was == 'done' or was == 'other' then return {'absent', stamp, stamp, found} end
if counts_as == 'admitted' then
  redis.call('HINCRBY', keys.meta, 'admitted', 1)
  if was == 'offered' then redis.call('HINCRBY', keys.meta, 'entered', 1) end
end
return {'dropped', stamp, stamp, found}
