-- Tombstones: which stays in line have ended, for as long as a late message may still come.
local TOMBSTONE_MICROS = 900000000 -- 15 minutes
local TRIMMED_AT_ONCE = 16

local function is_gone(gone_key, entry_id, join_id)
  return redis.call('ZSCORE', gone_key, entry_id .. ':' .. join_id)
end

local function bury(gone_key, entry_id, join_id, now)
  local time = micros(now)
  redis.call('ZADD', gone_key, time, entry_id .. ':' .. join_id)
  local old = redis.call('ZRANGEBYSCORE', gone_key, '-inf', time - TOMBSTONE_MICROS,
    'LIMIT', 0, TRIMMED_AT_ONCE)
  if #old > 0 then redis.call('ZREM', gone_key, unpack(old)) end
  redis.call('EXPIRE', gone_key, TOMBSTONE_MICROS / 1000000)
end
