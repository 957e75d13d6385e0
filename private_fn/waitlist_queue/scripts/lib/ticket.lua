-- Tickets fix arrival order; ranks are the scores made of them (see waitlist_shared/ranks.py).
local TIER = 35184372088832 -- 2^45 tickets in a priority: enough until 2089
local EPOCH_MICROS = 1577836800000000 -- 2020-01-01

-- Numbers go to Redis as text: Lua's own conversion keeps 14 digits only, a rank has 16.
local function text(number)
  return string.format('%.0f', number)
end

-- The Redis server's clock, unless a test gives the time. No other machine's clock counts.
local function micros(now)
  if now ~= '' then return tonumber(now) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- The first ticket after the last: never repeats, never goes backwards, whatever the clock does.
local function ticket_after(last_ticket, now)
  local clock = math.floor((micros(now) - EPOCH_MICROS) * 16 / 1000)
  return math.max(tonumber(last_ticket) + 1, clock)
end

local function draw(meta_key, now)
  local ticket = ticket_after(redis.call('HGET', meta_key, 'last_ticket'), now)
  redis.call('HSET', meta_key, 'last_ticket', text(ticket))
  return ticket
end

-- The ticket drawn at signup: kept apart only for entries whose rank no longer tells it.
local function ticket_of(moved_key, entry_id, rank)
  return tonumber(redis.call('HGET', moved_key, entry_id)) or rank % TIER
end

-- Writes a place; remembers the signup's ticket where the rank does not tell it.
local function put(queue_key, moved_key, entry_id, rank, ticket)
  redis.call('ZADD', queue_key, text(rank), entry_id)
  if rank % TIER == ticket then
    redis.call('HDEL', moved_key, entry_id)
  else
    redis.call('HSET', moved_key, entry_id, text(ticket))
  end
end
