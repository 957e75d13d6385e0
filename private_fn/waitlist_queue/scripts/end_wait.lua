-- end_wait: Ends the wait of a customer who did not confirm in time that they are still waiting. `action` says whether
-- the entry is parked, removed, or moved to the end of the queue.
-- PRELUDE clock cold rebuilding claimed
-- NEEDS decisions holds presence reasons requeue segments tickets waiting
-- ARGV entry_id ticket confirm_by_millis action settings_version
-- RETURNS ended|kept
if not meta_not_ready then return {'kept'} end -- no customer on the list was ever asked
-- If the settings have changed since the message was sent, they may require a different action, so ignore the message.
if tonumber(settings_version) < tonumber(meta_settings_version) then return {'kept'} end
local millis = math.floor(now / 1000)
local rank, is_ready = waiting_rank(keys, entry_id)
-- Keep the entry if it is not waiting, or if its ticket shows that it belongs to a newer signup.
if not rank or ticket_of(keys, entry_id, rank) ~= tonumber(ticket) then return {'kept'} end
local packed = redis.call('HGET', keys.readiness, entry_id)
-- The `away` reason, which says that the customer has stopped polling, does not matter here. If the entry is not ready
-- for any other reason, keep the entry.
if not is_ready and has_reason(without_away(packed)) then return {'kept'} end
local deadline = question_of(packed)
if deadline ~= tonumber(confirm_by_millis) or millis < deadline then return {'kept'} end
if not is_ready then packed = end_absence(keys, entry_id) end
-- Mark the confirmation deadline as handled, so that a delayed copy of this message changes nothing.
local kept = end_question(packed)
redis.call('HSET', keys.readiness, entry_id, kept)
count_readiness(keys, packed, kept)
leave_segments(keys, entry_id, rank)
redis.call('ZREM', keys.queue, entry_id)
local place = {state = 'no_show', token = '', rank = rank, was = rank, ticket = tonumber(ticket),
  attempts = tonumber(redis.call('HGET', keys.attempts, entry_id) or 0), stamp = next_stamp(keys, now)}
if action == 'to_back' then
  place.rank = BACK + place.stamp
  enqueue(keys, entry_id, place.rank, place.ticket)
  decide(keys, entry_id, 'unanswered_to_back', place, '', 0)
  return {'ended'}
end
redis.call('HDEL', keys.tickets_of_moved, entry_id)
redis.call('HDEL', keys.attempts, entry_id)
if action == 'park' then
  park(keys, entry_id, place, millis)
  decide(keys, entry_id, 'unanswered_parked', place, '', millis)
else
  write_hold(keys, entry_id, place)
  decide(keys, entry_id, 'unanswered_left', place, '', 0)
end
return {'ended'}
