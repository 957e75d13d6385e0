-- Returns a rank as 16 characters whose bytes sort as the ranks do. Ranks in the room ahead of the first
-- priority are negative: a minus sorts before the digits, and 10^15 more makes the rest ascend.
local function sortable(rank)
  if rank < 0 then return string.format('-%015d', 1000000000000000 + rank) end
  return string.format('%016d', rank)
end

-- The index of segments: one member "segment:rank:entry" for each segment of each waiting entry, all of
-- one score and so in the order of their bytes; "segment;rank:entry", behind those, if the entry is not ready, and
-- "segment<rank:entry", behind both, if its address is not verified. An entry's tags are its segments, a comma after each, and the version of its attributes. A list that declares no
-- segments has neither.
local READY, NOT_READY, UNVERIFIED, BEHIND = ':', ';', '<', '=' -- four bytes that follow each other

-- Returns the mark of the entry's members.
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

local function enter(keys, entry_id, rank, tags, is_ready)
  local members = members_of(entry_id, rank, tags, mark_of(keys, entry_id, is_ready), 0)
  if #members > 0 then redis.call('ZADD', keys.segments, unpack(members)) end
end

local function exit(keys, entry_id, rank, tags)
  local members = members_of(entry_id, rank, tags, READY)
  if #members == 0 then return end
  redis.call('ZREM', keys.segments, unpack(members))
  if not keys.not_ready then return end
  redis.call('ZREM', keys.segments, unpack(members_of(entry_id, rank, tags, NOT_READY)))
  redis.call('ZREM', keys.segments, unpack(members_of(entry_id, rank, tags, UNVERIFIED)))
end
