-- NEEDS tickets

-- `floor` is the latest known logical timestamp of the waitlist's earlier queue. Every timestamp of the new queue must
-- be later than the earlier queue's last timestamp.
--
-- If the Redis clock is more than SLACK_SECONDS behind `floor`, the Redis clock was set back. The earlier queue may
-- then have used timestamps up to UNKNOWN_SECONDS later than `floor`. UNKNOWN_SECONDS is large because `floor` comes
-- from a Lambda function whose clock may be slow.
local UNKNOWN_SECONDS, SLACK_SECONDS = 20 * 60, 5
-- If the Redis clock has not been set back, the new queue's first timestamp is SPARE_SECONDS later than `floor`.
--
-- SPARE_SECONDS must be less than a second. While new tickets are more than a second ahead of the clock, signups
-- receive consecutive tickets, so no entry can be moved between two of them.
local SPARE_SECONDS = 0.5

-- Returns the first logical timestamp of a new queue, which is later than every timestamp of the waitlist's earlier
-- queues.
local function first_stamp_of_epoch(floor, clock_micros)
  local first = ticket_after(floor, clock_micros)
  if tonumber(floor) == 0 then return first end
  local is_clock_back = ticket_after(0, clock_micros) + SLACK_SECONDS * TICKETS_PER_SECOND < first
  return first + (is_clock_back and UNKNOWN_SECONDS or SPARE_SECONDS) * TICKETS_PER_SECOND
end

-- Begins an epoch, which is the lifetime of a queue in Redis. All logical timestamps of an epoch are later than its
-- `epoch_start`.
local function begin_epoch(keys, state, epoch, epoch_start, counters, scheduled_until, now,
    server_run_id)
  -- Discard admissions that were due in the previous epoch, because they may already have been made.
  redis.call('HSET', keys.meta, 'state', state, 'epoch', epoch, 'last_ticket', epoch_start,
    'epoch_start', epoch_start, 'beat', 0, 'owner', server_run_id, 'bucket_at', now,
    'scheduled', 0, 'scheduled_until', scheduled_until)
  for name, count in string.gmatch(counters, '([%a_]+)=(%d+)') do
    redis.call('HSET', keys.meta, name, count)
  end
end
