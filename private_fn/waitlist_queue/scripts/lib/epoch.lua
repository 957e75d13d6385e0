-- NEEDS tickets

-- `floor` comes from the clock of a Lambda function, which may be ten minutes slow. If the clock of Redis went back,
-- logical timestamps up to UNKNOWN_SECONDS above `floor` may therefore exist.
local UNKNOWN_SECONDS, SLACK_SECONDS = 20 * 60, 5
-- If the clock did not go back, logical timestamps up to SPARE_SECONDS above `floor` may exist. SPARE_SECONDS must be
-- less than a second, so that signups still leave gaps between each other.
local SPARE_SECONDS = 0.5

-- Returns the first logical timestamp of a new queue. It is later than all logical timestamps of earlier queues of the
-- waitlist.
local function first_stamp_of_epoch(floor, clock_micros)
  local first = ticket_after(floor, clock_micros)
  if tonumber(floor) == 0 then return first end
  local is_clock_back = ticket_after(0, clock_micros) + SLACK_SECONDS * TICKETS_PER_SECOND < first
  return first + (is_clock_back and UNKNOWN_SECONDS or SPARE_SECONDS) * TICKETS_PER_SECOND
end

-- Begins an epoch, which is the lifetime of a queue in Redis. All its logical timestamps are later than `epoch_start`.
local function begin_epoch(keys, state, epoch, epoch_start, counters, scheduled_until, now,
    server_run_id)
  -- Admissions that were due in the previous epoch are discarded, because they may already have been made.
  redis.call('HSET', keys.meta, 'state', state, 'epoch', epoch, 'last_ticket', epoch_start,
    'epoch_start', epoch_start, 'beat', 0, 'owner', server_run_id, 'bucket_at', now,
    'scheduled', 0, 'scheduled_until', scheduled_until)
  for name, count in string.gmatch(counters, '([%a_]+)=(%d+)') do
    redis.call('HSET', keys.meta, name, count)
  end
end
