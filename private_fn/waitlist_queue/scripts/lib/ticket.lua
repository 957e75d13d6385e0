-- Tickets fix arrival order; ranks are the scores made of them (see waitlist_shared/ranks.py).
-- redis.call writes numbers with all their digits; tostring and .. would keep 14 of a rank's 16.
-- Each function of the library costs each run of a script that uses its file.
local TIER = 35184372088832 -- 2^45 ranks in a priority
-- The last 2^40 of them are room ahead of the first ticket of the next priority: entries that are
-- moved to the front stand there, and no ticket is drawn from it. Tickets last until 2087.
local ROOM = 1099511627776
local TICKETS_PER_SECOND = 16000
local EPOCH_MICROS = 1577836800000000 -- 2020-01-01

-- The first ticket after the last: never repeats, never goes backwards, whatever the clock does.
local function ticket_after(last_ticket, clock_micros)
  local clock = math.floor((clock_micros - EPOCH_MICROS) * 16 / 1000)
  return math.max(tonumber(last_ticket) + 1, clock)
end

-- The ticket drawn at signup. The moved hash has it for every entry whose rank was made otherwise.
local function ticket_of(keys, entry_id, rank)
  return tonumber(redis.call('HGET', keys.moved, entry_id)) or rank % TIER
end
