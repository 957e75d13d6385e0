-- If the clock went back, stamps may exist up to UNKNOWN_SECONDS above `floor`, because the Lambda clock that
-- produced it may be ten minutes slow. Smaller differences are normal clock skew.
local UNKNOWN_SECONDS, SLACK_SECONDS = 20 * 60, 5
-- If it did not, stamps may still exist above `floor`: those of the last moment, and those by a clock that was a little
-- ahead. Signups keep their distance from each other while tickets are less than a second ahead of the clock.
local SPARE_SECONDS = 0.5

-- Returns the first stamp of a new epoch, later than the stamps of all epochs before it. A new list has no `floor`.
local function first_stamp_of_epoch(floor, clock_micros)
  local first = ticket_after(floor, clock_micros)
  if tonumber(floor) == 0 then return first end
  local is_clock_back = ticket_after(0, clock_micros) + SLACK_SECONDS * TICKETS_PER_SECOND < first
  return first + (is_clock_back and UNKNOWN_SECONDS or SPARE_SECONDS) * TICKETS_PER_SECOND
end

-- Begins an epoch. Stamps of it are later than `epoch_start`, those of epochs before it earlier.
-- What a policy had due in the epoch before is not due again: it may have been taken.
local function begin_epoch(keys, state, epoch, epoch_start, counters, scheduled_until, now,
    server_run_id)
  redis.call('HSET', keys.meta, 'state', state, 'epoch', epoch, 'last_ticket', epoch_start,
    'born', epoch_start, 'beat', 0, 'home', server_run_id, 'mending', 0, 'bucket_at', now,
    'scheduled', 0, 'scheduled_until', scheduled_until)
  for name, count in string.gmatch(counters, '([%a_]+)=(%d+)') do
    redis.call('HSET', keys.meta, name, count)
  end
end
