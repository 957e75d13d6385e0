-- If the number of claims is limited, the `claimed` sorted set contains all claimed entries. The `held` sorted set
-- cannot be used to count claims, because it also contains entries with an offer.
local HOLDS_AT_ONCE = 500

-- Fills the `claimed` set after a rebuild, or when the `max_claims` setting has been turned on.
local function index_claims(keys)
  local first = 0
  repeat
    local held = redis.call('ZRANGE', keys.held, first, first + HOLDS_AT_ONCE - 1, 'WITHSCORES')
    local ids, deadlines = {}, {}
    for i = 1, #held, 2 do ids[#ids + 1], deadlines[#ids + 1] = held[i], held[i + 1] end
    local holds = #ids > 0 and redis.call('HMGET', keys.claims, unpack(ids)) or {}
    for i, hold in ipairs(holds) do
      if string.sub(hold, 1, 5) == 'held|' then redis.call('ZADD', keys.claimed, deadlines[i], ids[i]) end
    end
    first = first + HOLDS_AT_ONCE
  until #ids < HOLDS_AT_ONCE
  redis.call('HSET', keys.meta, 'claims_indexed', '1')
end

-- Returns how many of the `count` requested entries may be claimed now. The caller must end expired claims first.
local function within_limit(keys, max_claims, is_indexed, count, now)
  if not is_indexed then index_claims(keys) end
  -- Count only claims whose deadline has not passed.
  local claims = redis.call('ZCOUNT', keys.claimed, math.floor(now / 1000) + 1, '+inf')
  return math.min(count, math.max(0, max_claims - claims))
end
