-- segments: counts those who wait in each segment, and names the first of them.
-- USES home
-- KEYS meta segments
-- ARGV segments_version after limit here
-- RETURNS segments depths
-- RETURNS cold | rebuilding | segments_building | stale_segments
limit = tonumber(limit)

local ID_LENGTH = 16
local FIRST = 3 -- some may be on their way out, and their records without attributes

local meta = redis.call('HMGET', keys.meta, 'state', 'segments_version', 'segments_state', 'home')
if not at_home(meta[1], meta[4], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if segments_version ~= (meta[2] or '0') then return {'stale_segments'} end
if meta[3] == 'building' then return {'segments_building'} end

-- segment, waiting, members, segment, …
local depths = {}
for _ = 1, limit do
  -- A semicolon comes next to the colon that ends a segment's id.
  local from = after == '' and '-' or '[' .. after .. ';'
  local first = redis.call('ZRANGEBYLEX', keys.segments, from, '+', 'LIMIT', 0, FIRST)
  if not first[1] then break end
  after = string.sub(first[1], 1, ID_LENGTH)
  depths[#depths + 1] = after
  depths[#depths + 1] =
    redis.call('ZLEXCOUNT', keys.segments, '[' .. after .. ':', '(' .. after .. ';')
  depths[#depths + 1] = first
end
return {'segments', depths}
