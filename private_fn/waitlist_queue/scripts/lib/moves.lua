-- The moves of an entry: the once_key of each request by the stamp of its move, for a day. A set that
-- is written again lives longer than its oldest move, so each bump takes some old moves out.
local OLD_MOVES_PER_RUN = 20

local function forget_old_moves(keys, stamp, kept_seconds)
  local oldest = stamp - tonumber(kept_seconds) * TICKETS_PER_SECOND
  local old = redis.call('ZRANGEBYSCORE', keys.moves, '-inf', oldest, 'LIMIT', 0, OLD_MOVES_PER_RUN)
  if #old > 0 then redis.call('ZREM', keys.moves, unpack(old)) end
end

-- The set expires with its longest-lived move: a shorter time never replaces a longer one.
local function remember_move(keys, once, stamp, seconds, ...)
  redis.call('ZADD', keys.moves, 'NX', stamp, once, ...)
  if redis.call('EXPIRE', keys.moves, seconds, 'GT') == 0 then
    redis.call('EXPIRE', keys.moves, seconds, 'NX')
  end
end

-- How far a move went is a second member of its stamp, "once_key:places"; of those that the record
-- restores, or an earlier version made, it is not known ('').
local function remember_distance(keys, once, stamp, seconds, places)
  remember_move(keys, once, stamp, seconds, stamp, once .. ':' .. text(places))
end

local function distance_of(keys, once, stamp)
  local members = redis.call('ZRANGEBYSCORE', keys.moves, stamp, stamp, 'LIMIT', 0, 2)
  return members[2] and string.sub(members[2], #once + 2) or ''
end
