-- A ticket is a number that increases with each signup. A rank is the sort key of an entry in the queue.
--
-- A rank has up to 16 digits, so pass it to redis.call as a number. `tostring` and `..` keep only 14 digits.
local TIER = 35184372088832 -- 2^45, the number of ranks of each priority
local MAX_PRIORITY = 255
-- An entry with the lowest priority has the rank BACK plus its ticket.
local BACK = MAX_PRIORITY * TIER
-- Each priority has its own range of ranks. The first 2^40 ranks of the range are reserved for entries that are moved
-- to the front of the priority. The other ranks are computed from tickets, and will be used up in the year 2087.
local ROOM = 1099511627776
local TICKETS_PER_SECOND = 16000
local EPOCH_MICROS = 1577836800000000 -- 2020-01-01

-- Returns the next ticket. Tickets always increase, even if the clock is set back.
local function ticket_after(last_ticket, clock_micros)
  local clock = math.floor((clock_micros - EPOCH_MICROS) * 16 / 1000)
  return math.max(tonumber(last_ticket) + 1, clock)
end

-- Returns the ticket of an entry. If the entry was moved, the ticket is stored in `tickets_of_moved`. Otherwise, the
-- ticket is computed from the rank.
local function ticket_of(keys, entry_id, rank)
  return tonumber(redis.call('HGET', keys.tickets_of_moved, entry_id)) or rank % TIER
end

-- Returns a new logical timestamp, which is later than all earlier logical timestamps and later than `known_stamp`.
-- Logical timestamps and tickets come from the same counter.
local function next_stamp(keys, now, last, known_stamp)
  last = last or redis.call('HGET', keys.meta, 'last_ticket')
  local stamp = ticket_after(math.max(tonumber(last), tonumber(known_stamp or 0)), now)
  redis.call('HSET', keys.meta, 'last_ticket', stamp)
  return stamp
end

-- Makes all new tickets and logical timestamps later than `newest`, which is the latest timestamp that the caller
-- knows.
local function stay_later_than(keys, last_ticket, newest)
  if newest > tonumber(last_ticket) then redis.call('HSET', keys.meta, 'last_ticket', newest) end
end
