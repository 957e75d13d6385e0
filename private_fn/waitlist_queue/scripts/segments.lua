-- segments: Reads a page of the segments that have waiting entries. For each segment, returns the number of its
-- waiting entries and the first of these entries.
-- PRELUDE cold rebuilding expiring stale_segments
-- ARGV segments_version after limit
-- RETURNS segments depths
-- EACH depths segment waiting first
-- RETURNS segments_building
local ID_LENGTH = 16
local ENTRY_BEGIN = 35 -- the index at which the entry begins in "segment:rank:entry"
local FIRST = 3 -- more than one, because an entry may be leaving and its record may have no attributes

if meta_segments_state == 'building' then return {'segments_building'} end

local depths = {}
for _ = 1, limit do
  -- In the index, each segment id is followed by one of the bytes `:`, `;` and `<`. The byte `=` sorts after all three,
  -- so it ends the range of a segment.
  local from = after == '' and '-' or '[' .. after .. '='
  local members = redis.call('ZRANGEBYLEX', keys.segments, from, '+', 'LIMIT', 0, FIRST)
  local first_member = unpack(members)
  if not first_member then break end
  after = string.sub(first_member, 1, ID_LENGTH)
  local waiting =
    redis.call('ZLEXCOUNT', keys.segments, '[' .. after .. ':', '(' .. after .. '=')
  local first = {}
  for i = 1, math.min(#members, waiting) do first[i] = string.sub(members[i], ENTRY_BEGIN) end
  depths[#depths + 1] = {after, waiting, first}
end
return {'segments', depths}
