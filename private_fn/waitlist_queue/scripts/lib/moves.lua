-- NEEDS int_text tickets

-- The moves of an entry are stored in a sorted set. Each member is the idempotency key of a move, and its score is the
-- move's logical timestamp. Moves are remembered for a day, so that a repeated request does not move the entry a second
-- time.
local MOVE_SECONDS = 86400
local OLD_MOVES_PER_RUN = 20

-- Deletes a limited number of moves that are older than a day. These moves would otherwise stay in the set, because
-- each new move postpones the expiry of the whole set.
local function forget_old_moves(keys, stamp)
  local oldest = stamp - MOVE_SECONDS * TICKETS_PER_SECOND
  local old = redis.call('ZRANGEBYSCORE', keys.moves, '-inf', oldest, 'LIMIT', 0, OLD_MOVES_PER_RUN)
  if #old > 0 then redis.call('ZREM', keys.moves, unpack(old)) end
end

-- Remembers a move. All moves in the set expire at the same time. This time is only ever postponed, so that no move is
-- forgotten too early.
local function remember_move(keys, once_key, stamp, seconds, ...)
  redis.call('ZADD', keys.moves, 'NX', stamp, once_key, ...)
  if redis.call('EXPIRE', keys.moves, seconds, 'GT') == 0 then
    redis.call('EXPIRE', keys.moves, seconds, 'NX')
  end
end

-- Remembers a move and the number of places that the entry moved, in the form "once_key:places".
local function remember_distance(keys, once_key, stamp, seconds, places)
  remember_move(keys, once_key, stamp, seconds, stamp, once_key .. ':' .. int_text(places))
end

-- Returns how many places an earlier request moved the entry. Returns false if the number is unknown because the move
-- was restored from the record.
local function distance_of(keys, once_key, stamp)
  local _, second = unpack(redis.call('ZRANGEBYSCORE', keys.moves, stamp, stamp, 'LIMIT', 0, 2))
  return second and tonumber(string.sub(second, #once_key + 2)) or false
end
