-- Tickets fix the order of arrival; ranks are the scores made of them (see waitlist_shared/ranks.py).
-- redis.call writes numbers with all their digits; tostring and .. would keep 14 of a rank's 16.
local TIER = 35184372088832 -- 2^45 ranks in a priority
-- The last 2^40 of them are room ahead of the first ticket of the next priority. Entries that are moved to the
-- front get ranks in it, and no ticket comes from it. Tickets last until 2087.
local ROOM = 1099511627776
local TICKETS_PER_SECOND = 16000
local EPOCH_MICROS = 1577836800000000 -- 2020-01-01

-- Returns the first ticket after the last: tickets never repeat and never go back, even if the clock does.
local function ticket_after(last_ticket, clock_micros)
  local clock = math.floor((clock_micros - EPOCH_MICROS) * 16 / 1000)
  return math.max(tonumber(last_ticket) + 1, clock)
end

-- Returns the ticket of the signup. The hash `tickets_of_moved` has it for each entry whose rank is not made of it.
local function ticket_of(keys, entry_id, rank)
  return tonumber(redis.call('HGET', keys.tickets_of_moved, entry_id)) or rank % TIER
end
