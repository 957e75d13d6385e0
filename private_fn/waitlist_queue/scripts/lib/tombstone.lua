-- Tombstones: which stays in line have ended, and at which stamp, for as long as a late message may
-- still come.
local TOMBSTONE_SECONDS = 900
local TRIMMED_AT_ONCE = 16

local function is_gone(keys, entry_id, join_id)
  return redis.call('ZSCORE', keys.gone, entry_id .. ':' .. join_id)
end

local function bury(keys, entry_id, join_id, stamp)
  redis.call('ZADD', keys.gone, stamp, entry_id .. ':' .. join_id)
  local old = redis.call('ZRANGEBYSCORE', keys.gone, '-inf',
    stamp - TOMBSTONE_SECONDS * TICKETS_PER_SECOND, 'LIMIT', 0, TRIMMED_AT_ONCE)
  if #old > 0 then redis.call('ZREM', keys.gone, unpack(old)) end
  redis.call('EXPIRE', keys.gone, TOMBSTONE_SECONDS)
end
