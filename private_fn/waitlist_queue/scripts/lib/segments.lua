-- NEEDS reasons waiting

-- Returns a rank as text with 16 characters. These texts sort in the same order as the ranks. 10^15 is added to
-- negative ranks, so that they sort correctly too.
local function sortable(rank)
  if rank < 0 then return string.format('-%015d', 1000000000000000 + rank) end
  return string.format('%016d', rank)
end

-- The segment index is a sorted set with one member for each segment of each waiting entry. A member consists of the
-- segment, a character, the rank and the entry id.
--
-- In a member of the segment index, the character is ":" if the entry is ready, ";" if it is not ready, and "<" if its
-- address is not verified. All scores are equal, so Redis sorts the members by their bytes.
local READY, NOT_READY, UNVERIFIED, BEHIND = ':', ';', '<', '=' -- four consecutive bytes

-- Returns the character that marks an entry in the segment index as ready, not ready or unverified.
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

-- Adds a waiting entry to the segment index, with the same rank as in the queue.
local function enter_segments(keys, entry_id, rank, is_ready)
  local tags = keys.tags and redis.call('HGET', keys.tags, entry_id)
  if tags then add_index_members(keys, entry_id, rank, tags, is_ready) end
end

local function leave_segments(keys, entry_id, rank)
  local tags = keys.tags and redis.call('HGET', keys.tags, entry_id)
  if tags then remove_index_members(keys, entry_id, rank, tags) end
end

-- Replaces an entry's tags, which are the ids of its segments. If Redis already has the same or a newer version of the
-- tags for this signup, nothing changes.
local function reindex(keys, entry_id, tags, rank, another_stay)
  local old = redis.call('HGET', keys.tags, entry_id)
  local function version_of(packed) return tonumber(string.match(packed, '%d+$')) end
  if old and not another_stay and version_of(old) >= version_of(tags) then return false end
  if rank and old then remove_index_members(keys, entry_id, rank, old) end
  redis.call('HSET', keys.tags, entry_id, tags)
  if rank then add_index_members(keys, entry_id, rank, tags, is_ready_to_wait(keys, entry_id)) end
  return true
end

-- Returns `ready` if the segments of every entry on the waitlist are stored, and `building` otherwise. Segment counts
-- are exact only in the `ready` state.
local function segment_state(keys, segments_version)
  if segments_version == '0' then return 'ready' end
  local entries = count_waiting(keys) + redis.call('ZCARD', keys.held) +
    redis.call('ZCARD', keys.parked)
  return redis.call('HLEN', keys.tags) == entries and 'ready' or 'building'
end
