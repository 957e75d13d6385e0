-- restore: Restores an entry in Redis at the place in its record, unless the customer has left the waitlist or was
-- admitted.
-- PRELUDE clock cold claimed stale_epoch stale_segments
-- NEEDS decisions holds inside moves places policy readiness restoring slots tickets tombstone waiting
-- ARGV entry_id join_id rank ticket stamp known_stamp epoch once_key once_stamp state token time_millis attempts
-- ARGV segments_version tags readiness when expected
-- RETURNS restored|present state position rank ticket total attempts
-- RETURNS gone
if tombstone_of(keys, entry_id, join_id) then return {'gone'} end
use_readiness(keys, meta_not_ready, readiness)
stay_later_than(keys, meta_last_ticket, math.max(tonumber(stamp), tonumber(known_stamp)))
if once_key ~= '' and once_stamp ~= '' then
  remember_move(keys, once_key, once_stamp, MOVE_SECONDS)
end

-- Releases the slots of an offer or an admission that Redis has but the record does not. If the record contains a
-- different offer for the same signup, assigns the slots to that offer. Otherwise, gives unused slots back.
local function return_or_assign_slots(hold, new)
  local is_same_stay = hold.ticket == new.ticket
  if hold.state == 'done' then
    if not is_same_stay then return end
    -- The record has refused this admission, because the decision was based on an earlier state of the entry.
    uncount_admission(keys, hold)
  elseif is_same_stay and new.state == 'offered' then
    -- The record has a different offer, which is open. This server does not know which slots were used for that offer,
    -- so the slots of the hold are assigned to it. If the counters in the record include all times of the schedule,
    -- they already include the slot of that offer. In that case, a slot of the schedule is given back.
    local scheduled_until, recorded_until = unpack(redis.call('HMGET', keys.meta, 'scheduled_until', 'recorded_until'))
    local of_schedule = scheduled_until == recorded_until and string.match(hold.paid, 's%d+') or ''
    new.paid, hold.paid = string.gsub(hold.paid, of_schedule, ''), of_schedule
  end
  give_back(keys, entry_id, hold)
end

local recorded_millis = tonumber(time_millis) or 0
-- During a rebuild, offers are not shortened. The `init` script shortens them after the rebuild.
if state == 'offered' and meta_state == 'warm' then time_millis = until_over(meta_until_millis, recorded_millis) end
local place = {state = state, token = token, rank = tonumber(rank), ticket = tonumber(ticket),
  attempts = tonumber(attempts), stamp = tonumber(stamp)}
local present = place_of(keys, entry_id)
local is_restored = may_restore(keys, entry_id, when, expected, meta_state == 'hydrating', place, present)
restore_edits(keys, entry_id, segments_version ~= '0' and tags, readiness, place.ticket, present, is_restored)
if is_restored then
  if present and present.state ~= 'waiting' then return_or_assign_slots(present, place) end
  -- If the waitlist's admissions end before the offer does, the offer is shortened. The record may not contain
  -- the new deadline yet, so maintenance records it.
  local is_shortened = (tonumber(time_millis) or 0) < recorded_millis
  if is_shortened then place.stamp = next_stamp(keys, now) end
  place.rank = restore_place(keys, entry_id, place, present, time_millis)
  if when == 'unchanged' then forget_decisions_after(keys, entry_id, tonumber(stamp)) end
  if is_shortened then mark_dirty(keys, entry_id, place.stamp) end
  -- A customer who has a place in the queue again is no longer inside.
  take_outside(keys, entry_id)
else
  place = present
end
local index = meta_state == 'warm' and count_ahead(keys, entry_id)
local outcome = 'present'
if is_restored then outcome = 'restored' end
return {outcome, place.state, index and index + 1, place.rank, place.ticket,
  index and count_verified(keys), place.attempts}
