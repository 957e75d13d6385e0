-- Remembers the moves of an entry for a day, so that a repeated request does not move the entry again. The moves are a
-- sorted set of idempotency keys, and the score is the stamp (logical timestamp) of the move. Each move extends the
-- expiry of the whole set, so old moves do not expire by themselves. Therefore each new move deletes some moves that
-- are older than a day.
local MOVE_SECONDS = 86400
local OLD_MOVES_PER_RUN = 20

local function forget_old_moves(keys, stamp)
  local oldest = stamp - MOVE_SECONDS * TICKETS_PER_SECOND
  local old = redis.call('ZRANGEBYSCORE', keys.moves, '-inf', oldest, 'LIMIT', 0, OLD_MOVES_PER_RUN)
  if #old > 0 then redis.call('ZREM', keys.moves, unpack(old)) end
end

-- Remembers a move. The set must not expire before any of its moves, so its expiry is only ever extended.
local function remember_move(keys, once_key, stamp, seconds, ...)
  redis.call('ZADD', keys.moves, 'NX', stamp, once_key, ...)
  if redis.call('EXPIRE', keys.moves, seconds, 'GT') == 0 then
    redis.call('EXPIRE', keys.moves, seconds, 'NX')
  end
end

-- Remembers a move and its distance. The distance is part of a second member with the same score: "once_key:places".
local function remember_distance(keys, once_key, stamp, seconds, places)
  remember_move(keys, once_key, stamp, seconds, stamp, once_key .. ':' .. int_text(places))
end

-- Returns the distance of a move in places. Returns false if the move was restored from the record, because the record
-- does not contain the distance.
local function distance_of(keys, once_key, stamp)
  local _, second = unpack(redis.call('ZRANGEBYSCORE', keys.moves, stamp, stamp, 'LIMIT', 0, 2))
  return second and tonumber(string.sub(second, #once_key + 2)) or false
end
