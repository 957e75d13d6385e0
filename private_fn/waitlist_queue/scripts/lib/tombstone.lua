-- Tombstones: which stays in line have ended, and at which stamp, for as long as a late message may
-- still come.
local TOMBSTONE_SECONDS = 900
local TRIMMED_AT_ONCE = 16

local function is_gone(gone_key, entry_id, join_id)
  return redis.call('ZSCORE', gone_key, entry_id .. ':' .. join_id)
end

local function bury(gone_key, entry_id, join_id, stamp)
  redis.call('ZADD', gone_key, stamp, entry_id .. ':' .. join_id)
  local old = redis.call('ZRANGEBYSCORE', gone_key, '-inf',
    stamp - TOMBSTONE_SECONDS * TICKETS_PER_SECOND, 'LIMIT', 0, TRIMMED_AT_ONCE)
  if #old > 0 then redis.call('ZREM', gone_key, unpack(old)) end
  redis.call('EXPIRE', gone_key, TOMBSTONE_SECONDS)
end
