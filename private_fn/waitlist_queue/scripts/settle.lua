-- settle: Deletes the pending decisions about an entry, because its record contains them now. If Redis has made another
-- decision in the meantime, nothing is deleted.
-- PRELUDE clock cold not_ready watched
-- NEEDS holds reasons tickets tombstone
-- ARGV entry_id seen_stamp join_id ticket
-- RETURNS settled|changed
local since = redis.call('ZSCORE', keys.dirty, entry_id)
if since and tonumber(since) ~= tonumber(seen_stamp) then return {'changed'} end
redis.call('ZREM', keys.dirty, entry_id)
redis.call('HDEL', keys.pending_decisions, entry_id)
local hold = read_hold(keys, entry_id)
if hold and hold.state == 'done' then
  -- The record now contains the admission too. The tombstone prevents a late restore message from putting the customer
  -- back into the queue.
  delete_hold(keys, entry_id)
  forget_readiness(keys, entry_id)
  if keys.last_polls then redis.call('HDEL', keys.last_polls, entry_id) end
  -- If the ticket is different, the admission belongs to a different signup of the customer, and the signup in the
  -- record has not ended.
  if join_id ~= '' and (ticket == '' or hold.ticket == tonumber(ticket)) then
    add_tombstone(keys, entry_id, join_id, next_stamp(keys, now))
  end
end
return {'settled'}
