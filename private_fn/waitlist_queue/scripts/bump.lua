-- bump: Moves a waiting entry to another priority, some places ahead, to the front of its priority, or to the end of
-- the queue.
-- PRELUDE clock cold rebuilding expiring not_ready
-- NEEDS decisions moves places ranks requeue segments tickets waiting
-- ARGV entry_id ticket priority places to once_key once_seconds
-- RETURNS moved|repeat rank ticket stamp moved_stamp position total attempts expired_stamp expired_millis moved_by basis_stamp
-- RETURNS not_waiting|no_room
local last_ticket = meta_last_ticket
local place = place_of(keys, entry_id)
if not place or place.state ~= 'waiting' then return {'not_waiting'} end
-- If the ticket differs, the customer has signed up again since the message was sent, so do not move the new signup.
if ticket ~= '' and place.ticket ~= tonumber(ticket) then return {'not_waiting'} end
-- Returns the number of waiting entries before a rank. Unlike positions, this number includes entries with an
-- unverified address.
local function index_of(at) return count_between(keys, '-inf', at - 1) end
local index = index_of(place.rank)

-- The entry is still in the sorted set while its new place is computed. This does no harm, because only the entries
-- ahead of the new place are counted.
local function target()
  if priority ~= '' then
    return free_rank(keys, entry_id, (MAX_PRIORITY - tonumber(priority)) * TIER + place.ticket, place.rank)
  end
  if to == 'back' then
    last_ticket = next_stamp(keys, now, last_ticket)
    return BACK + last_ticket
  end
  -- The entry does not move past the first entry of its own priority.
  local head = count_between(keys, '-inf', first_rank_of(place.rank) - 1)
  if index <= head then return place.rank end
  local ahead = to == 'front' and index or tonumber(places)
  return rank_ahead_of(keys, math.max(head, index - ahead))
end

local outcome, basis = 'repeat', nil
forget_old_moves(keys, ticket_after(0, now))
local moved_stamp = tonumber(redis.call('ZSCORE', keys.moves, once_key))
if not moved_stamp then
  outcome = 'moved'
  local rank = target()
  if not rank then return {'no_room'} end
  leave_segments(keys, entry_id, place.rank)
  place.rank = rank
  enqueue(keys, entry_id, rank, place.ticket)
end
local stamp = next_stamp(keys, now, last_ticket)
local position = count_ahead(keys, entry_id) + 1
local moved_by
if moved_stamp then
  moved_by = distance_of(keys, once_key, moved_stamp)
  local made = find_decision(keys, entry_id, function(decision) return decision.stamp == moved_stamp end)
  basis = made and made.basis
else
  moved_stamp, moved_by = stamp, index - (keys.not_ready and index_of(place.rank) or position - 1)
  place.stamp = stamp
  decide(keys, entry_id, 'bumped', place, '', 0)
  basis = place.basis
  remember_distance(keys, once_key, stamp, once_seconds, moved_by)
end
local expired = place.attempts > 0 and last_end_by(keys, entry_id, 'expired', stamp)
return {outcome, place.rank, place.ticket, stamp, moved_stamp, position, count_verified(keys),
  place.attempts, expired and expired.stamp or 0, expired and expired.at or 0, moved_by, basis or false}
