-- segments: counts the waiting entries of each segment, and lists the first of them.
-- USES owner
-- KEYS meta segments
-- ARGV segments_version after limit server_run_id
-- RETURNS segments depths
-- EACH depths segment waiting first
-- RETURNS cold | rebuilding | segments_building | stale_segments
local ID_LENGTH = 16
local ENTRY_BEGIN = 35 -- of "segment:rank:entry"
local FIRST = 3 -- some may be leaving, and their records without attributes

local meta = redis.call('HMGET', keys.meta, 'state', 'segments_version', 'segments_state', 'home')
if not owned_state(meta[1], meta[4], server_run_id) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if segments_version ~= (meta[2] or '0') then return {'stale_segments'} end
if meta[3] == 'building' then return {'segments_building'} end

local depths = {}
for _ = 1, limit do
  -- A semicolon is the byte after the colon that ends a segment's id.
  local from = after == '' and '-' or '[' .. after .. ';'
  local members = redis.call('ZRANGEBYLEX', keys.segments, from, '+', 'LIMIT', 0, FIRST)
  if not members[1] then break end
  after = string.sub(members[1], 1, ID_LENGTH)
  local waiting =
    redis.call('ZLEXCOUNT', keys.segments, '[' .. after .. ':', '(' .. after .. ';')
  local first = {}
  for i = 1, math.min(#members, waiting) do first[i] = string.sub(members[i], ENTRY_BEGIN) end
  depths[#depths + 1] = {after, waiting, first}
end
return {'segments', depths}
