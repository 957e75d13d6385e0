-- If the clock went back, stamps may exist up to UNKNOWN_SECONDS above `floor`, because the Lambda clock that produced
-- `floor` may be ten minutes slow. Differences up to SLACK_SECONDS are normal clock skew.
local UNKNOWN_SECONDS, SLACK_SECONDS = 20 * 60, 5
-- If the clock did not go back, stamps may still exist above `floor`: stamps of the last moment, and stamps from a
-- clock that was slightly ahead. SPARE_SECONDS is less than a second, because signups leave room between each other
-- only while tickets are less than a second ahead of the clock.
local SPARE_SECONDS = 0.5

-- Returns the first stamp of a new epoch, which is later than the stamps of all previous epochs. A new list has no
-- `floor`.
local function first_stamp_of_epoch(floor, clock_micros)
  local first = ticket_after(floor, clock_micros)
  if tonumber(floor) == 0 then return first end
  local is_clock_back = ticket_after(0, clock_micros) + SLACK_SECONDS * TICKETS_PER_SECOND < first
  return first + (is_clock_back and UNKNOWN_SECONDS or SPARE_SECONDS) * TICKETS_PER_SECOND
end

-- Begins an epoch. All stamps of the epoch are later than `epoch_start`, and all stamps of previous epochs are earlier.
-- Slots that were due in the previous epoch are not due again, because they may have been taken.
local function begin_epoch(keys, state, epoch, epoch_start, counters, scheduled_until, now,
    server_run_id)
  redis.call('HSET', keys.meta, 'state', state, 'epoch', epoch, 'last_ticket', epoch_start,
    'epoch_start', epoch_start, 'beat', 0, 'owner', server_run_id, 'bucket_at', now,
    'scheduled', 0, 'scheduled_until', scheduled_until)
  for name, count in string.gmatch(counters, '([%a_]+)=(%d+)') do
    redis.call('HSET', keys.meta, name, count)
  end
end
