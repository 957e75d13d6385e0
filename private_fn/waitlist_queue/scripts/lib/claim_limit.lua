-- The list's `max_claims`: how many entries claims may hold at once. `held` has the offers to customers too, which do
-- not count; they are read only where offers and claims together reach the limit.
local HOLDS_AT_ONCE = 500

-- Counts the entries that claims hold, up to `most`.
local function count_claims(keys, most)
  local claims, first = 0, 0
  repeat
    local ids = redis.call('ZRANGE', keys.held, first, first + HOLDS_AT_ONCE - 1)
    local holds = #ids > 0 and redis.call('HMGET', keys.claims, unpack(ids)) or {}
    for _, hold in ipairs(holds) do
      if string.sub(hold, 1, 5) == 'held|' then claims = claims + 1 end
    end
    first = first + HOLDS_AT_ONCE
  until claims >= most or #ids < HOLDS_AT_ONCE
  return claims
end

-- Returns how many entries a claim may take, at most `count`.
local function within_limit(keys, max_claims, count)
  max_claims, count = tonumber(max_claims), tonumber(count)
  if redis.call('ZCARD', keys.held) + count <= max_claims then return count end
  return math.min(count, math.max(0, max_claims - count_claims(keys, max_claims)))
end
