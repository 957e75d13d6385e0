-- NEEDS waiting

-- Returns a rank as a text of 16 characters that sorts in the same order as the rank. To keep this order, 10^15 is
-- added to a negative rank.
local function sortable(rank)
  if rank < 0 then return string.format('-%015d', 1000000000000000 + rank) end
  return string.format('%016d', rank)
end

-- The segment index is a sorted set with one member for each segment of each waiting entry. A member is
-- "segment:rank:entry" if the entry is ready, "segment;rank:entry" if it is not, and "segment<rank:entry" if its
-- address is not verified. All scores are equal, so the members are sorted by their bytes.
local READY, NOT_READY, UNVERIFIED, BEHIND = ':', ';', '<', '=' -- four consecutive bytes

-- Returns the byte in an entry's index members that says whether the entry is ready, not ready or unverified.
local function mark_of(keys, entry_id, is_ready)
  if is_ready then return READY end
  return is_unverified(redis.call('HGET', keys.readiness, entry_id)) and UNVERIFIED or NOT_READY
end

local function members_of(entry_id, rank, tags, mark, score)
  local place = mark .. sortable(rank) .. ':' .. entry_id
  local members = {}
  for segment in string.gmatch(tags, '(%w+),') do
    members[#members + 1] = score
    members[#members + 1] = segment .. place
  end
  return members
end

local function add_index_members(keys, entry_id, rank, tags, is_ready)
  local members = members_of(entry_id, rank, tags, mark_of(keys, entry_id, is_ready), 0)
  if #members > 0 then redis.call('ZADD', keys.segments, unpack(members)) end
end

local function remove_index_members(keys, entry_id, rank, tags)
  local members = members_of(entry_id, rank, tags, READY)
  if #members == 0 then return end
  redis.call('ZREM', keys.segments, unpack(members))
  if not keys.not_ready then return end
  redis.call('ZREM', keys.segments, unpack(members_of(entry_id, rank, tags, NOT_READY)))
  redis.call('ZREM', keys.segments, unpack(members_of(entry_id, rank, tags, UNVERIFIED)))
end
