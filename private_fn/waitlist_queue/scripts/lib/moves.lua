-- The moves of an entry: the idempotency key of each request by the stamp of its move, for a day. A set that is
-- written again lives longer than its oldest move, so each bump deletes some old moves.
local MOVE_SECONDS = 86400
local OLD_MOVES_PER_RUN = 20

local function forget_old_moves(keys, stamp)
  local oldest = stamp - MOVE_SECONDS * TICKETS_PER_SECOND
  local old = redis.call('ZRANGEBYSCORE', keys.moves, '-inf', oldest, 'LIMIT', 0, OLD_MOVES_PER_RUN)
  if #old > 0 then redis.call('ZREM', keys.moves, unpack(old)) end
end

-- Remembers a move. The set expires with its longest-lived move: a shorter time never replaces a longer one.
local function remember_move(keys, once_key, stamp, seconds, ...)
  redis.call('ZADD', keys.moves, 'NX', stamp, once_key, ...)
  if redis.call('EXPIRE', keys.moves, seconds, 'GT') == 0 then
    redis.call('EXPIRE', keys.moves, seconds, 'NX')
  end
end

-- Remembers also how far the move went, as a second member of its stamp: "once_key:places".
local function remember_distance(keys, once_key, stamp, seconds, places)
  remember_move(keys, once_key, stamp, seconds, stamp, once_key .. ':' .. int_text(places))
end

-- Returns how far a move went, or false if a restore wrote the move without it.
local function distance_of(keys, once_key, stamp)
  local _, second = unpack(redis.call('ZRANGEBYSCORE', keys.moves, stamp, stamp, 'LIMIT', 0, 2))
  return second and tonumber(string.sub(second, #once_key + 2)) or false
end
