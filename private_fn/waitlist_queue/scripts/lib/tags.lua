-- NEEDS segment_index

-- A waiting entry has members in the segment index, with the same rank as in the queue.
local function enter_segments(keys, entry_id, rank, is_ready)
  local tags = keys.tags and redis.call('HGET', keys.tags, entry_id)
  if tags then add_index_members(keys, entry_id, rank, tags, is_ready) end
end

local function leave_segments(keys, entry_id, rank)
  local tags = keys.tags and redis.call('HGET', keys.tags, entry_id)
  if tags then remove_index_members(keys, entry_id, rank, tags) end
end
