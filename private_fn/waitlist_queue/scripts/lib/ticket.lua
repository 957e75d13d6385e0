-- Tickets fix the order of arrival. Ranks are scores that are made of tickets (see waitlist_shared/ranks.py). Pass
-- ranks to redis.call as numbers, because redis.call keeps all their 16 digits. tostring and .. would keep only 14
-- digits.
local TIER = 35184372088832 -- 2^45, the number of ranks of each priority
-- The last 2^40 ranks of each priority are the room ahead of the first ticket of the next priority. Entries that are
-- moved to the front get ranks in this room, and no ticket has a rank in it. There are enough tickets until 2087.
local ROOM = 1099511627776
local TICKETS_PER_SECOND = 16000
local EPOCH_MICROS = 1577836800000000 -- 2020-01-01

-- Returns the next ticket. Tickets never repeat and never go back, even if the clock goes back.
local function ticket_after(last_ticket, clock_micros)
  local clock = math.floor((clock_micros - EPOCH_MICROS) * 16 / 1000)
  return math.max(tonumber(last_ticket) + 1, clock)
end

-- Returns the ticket of the signup. The hash `tickets_of_moved` has the ticket if it cannot be computed from the rank.
local function ticket_of(keys, entry_id, rank)
  return tonumber(redis.call('HGET', keys.tickets_of_moved, entry_id)) or rank % TIER
end
