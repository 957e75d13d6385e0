-- How much later than the floor stamps may exist, where the clock has gone back: of the floor's
-- clocks one may be ten minutes slow. Clocks that agree differ by less than the slack.
local UNKNOWN_SECONDS, SLACK_SECONDS = 20 * 60, 5

-- The first stamp of a life, later than those of all lives before.
local function first_of_life(floor, clock_micros)
  local first = ticket_after(floor, clock_micros)
  local is_clock_back = ticket_after(0, clock_micros) + SLACK_SECONDS * TICKETS_PER_SECOND < first
  return is_clock_back and first + UNKNOWN_SECONDS * TICKETS_PER_SECOND or first
end

-- The beginning of an order's life, or of its life on another server. Stamps of a life are later than
-- `born`, those of lives before earlier, unless the clock went back.
local function give_birth(keys, state, epoch, born, counters, here)
  redis.call('HSET', keys.meta, 'state', state, 'epoch', epoch, 'last_ticket', born, 'born', born,
    'beat', 0, 'signed_up', counters.signed_up, 'left', counters.left,
    'admitted', counters.admitted, 'home', here, 'mending', 0)
end

-- Whether another server lacks at most what came since the last beat but one: the journal knows
-- that. What was cut off in the middle of a rebuild it does not.
local function is_mendable(meta, known_epoch, known_beat)
  return meta[1] == 'warm' and (known_epoch == '' or known_epoch == meta[2]) and
    tonumber(meta[6] or 0) >= tonumber(known_beat) - 1
end

local function move_home(keys, epoch, born, counters, here)
  born = math.max(born, tonumber(redis.call('HGET', keys.meta, 'last_ticket')) + 1)
  give_birth(keys, 'hydrating', epoch, born, counters, here)
  redis.call('HSET', keys.meta, 'mending', 1)
end

local function life_of(keys)
  local meta = redis.call('HMGET', keys.meta, 'state', 'epoch', 'born', 'mending')
  return {state = meta[1], epoch = meta[2], born = tonumber(meta[3] or 0),
    mending = tonumber(meta[4] or 0)}
end
