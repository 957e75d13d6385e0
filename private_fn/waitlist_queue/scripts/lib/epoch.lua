-- `floor` comes from the clock of a Lambda function, which may be ten minutes slow. If the clock of Redis went back,
-- stamps (logical timestamps) may therefore exist up to UNKNOWN_SECONDS above `floor`. A difference of up to
-- SLACK_SECONDS between clocks is normal.
local UNKNOWN_SECONDS, SLACK_SECONDS = 20 * 60, 5
-- If the clock did not go back, some stamps may still be above `floor`, because they are very recent or come from a
-- clock that was slightly ahead. SPARE_SECONDS must be less than a second. Signups leave gaps between each other only
-- while tickets are less than a second ahead of the clock.
local SPARE_SECONDS = 0.5

-- Returns the first stamp (logical timestamp) of a new epoch. It is later than all stamps of previous epochs. For a new
-- waitlist, `floor` is 0.
local function first_stamp_of_epoch(floor, clock_micros)
  local first = ticket_after(floor, clock_micros)
  if tonumber(floor) == 0 then return first end
  local is_clock_back = ticket_after(0, clock_micros) + SLACK_SECONDS * TICKETS_PER_SECOND < first
  return first + (is_clock_back and UNKNOWN_SECONDS or SPARE_SECONDS) * TICKETS_PER_SECOND
end

-- Begins an epoch. All stamps (logical timestamps) of this epoch are later than `epoch_start`, and all stamps of
-- previous epochs are earlier. Slots that were due in the previous epoch are discarded, because they may already have
-- been used.
local function begin_epoch(keys, state, epoch, epoch_start, counters, scheduled_until, now,
    server_run_id)
  redis.call('HSET', keys.meta, 'state', state, 'epoch', epoch, 'last_ticket', epoch_start,
    'epoch_start', epoch_start, 'beat', 0, 'owner', server_run_id, 'bucket_at', now,
    'scheduled', 0, 'scheduled_until', scheduled_until)
  for name, count in string.gmatch(counters, '([%a_]+)=(%d+)') do
    redis.call('HSET', keys.meta, name, count)
  end
end
