-- A ticket is a number that says when a customer signed up, compared with other customers. A rank is computed from a
-- priority and a ticket (see waitlist_shared/ranks.py). Pass ranks to redis.call as numbers, because redis.call keeps
-- all their 16 digits. tostring and .. keep only 14 digits.
local TIER = 35184372088832 -- 2^45, the number of ranks of each priority
-- The last 2^40 ranks before the first ticket of each priority are not used by tickets. Entries that are moved to the
-- front of the priority get these ranks. There are enough tickets until 2087.
local ROOM = 1099511627776
local TICKETS_PER_SECOND = 16000
local EPOCH_MICROS = 1577836800000000 -- 2020-01-01

-- Returns the next ticket. Tickets always increase, even if the clock goes back.
local function ticket_after(last_ticket, clock_micros)
  local clock = math.floor((clock_micros - EPOCH_MICROS) * 16 / 1000)
  return math.max(tonumber(last_ticket) + 1, clock)
end

-- Returns the ticket of an entry. If the ticket cannot be computed from the rank, it is in the hash `tickets_of_moved`.
local function ticket_of(keys, entry_id, rank)
  return tonumber(redis.call('HGET', keys.tickets_of_moved, entry_id)) or rank % TIER
end
