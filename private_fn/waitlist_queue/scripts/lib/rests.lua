-- NEEDS readiness

local RESTS_AT_ONCE = 200

-- Makes a limited number of entries ready whose rest or delay has ended. Returns whether there are no more such
-- entries.
local function end_rests(keys, now)
  if not keys.not_ready then return true end
  local millis = math.floor(now / 1000)
  local ended = redis.call('ZRANGEBYSCORE', keys.ready_at, '-inf', millis, 'LIMIT', 0, RESTS_AT_ONCE)
  for _, entry_id in ipairs(ended) do
    local packed = redis.call('HGET', keys.readiness, entry_id)
    local kept = string.gsub(packed, ';[%a_]+=([1-9]%d*)', function(ends)
      if tonumber(ends) <= millis then return '' end
    end)
    write_readiness(keys, entry_id, packed, kept)
  end
  return #ended < RESTS_AT_ONCE
end
