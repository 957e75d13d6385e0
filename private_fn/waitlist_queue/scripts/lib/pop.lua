-- NEEDS segments

-- The functions in this file take entries from one end of the queue, or of segments. `filters` contains segment ids,
-- separated by spaces and in order of preference. A `*` stands for the whole queue.
local ID_BEGIN = 35 -- the index at which the id of the entry begins in "segment:rank:entry"
local EVERYONE = '*'

-- Takes up to `count` entries that match one filter. Returns a flat list in which each entry id is followed by the rank
-- of the entry.
local function pop(keys, filter, is_newest, count)
  if filter == EVERYONE then
    return redis.call(is_newest and 'ZPOPMAX' or 'ZPOPMIN', keys.queue, count)
  end
  -- A segment id is followed by a colon in the members of ready entries. The semicolon is the byte after the colon, so
  -- it ends the range.
  local first, last = '[' .. filter .. ':', '(' .. filter .. ';'
  local members = is_newest and
    redis.call('ZREVRANGEBYLEX', keys.segments, last, first, 'LIMIT', 0, count) or
    redis.call('ZRANGEBYLEX', keys.segments, first, last, 'LIMIT', 0, count)
  local ids, popped = {}, {}
  for i, member in ipairs(members) do ids[i] = string.sub(member, ID_BEGIN) end
  if #ids == 0 then return popped end
  local ranks = redis.call('ZMSCORE', keys.queue, unpack(ids))
  for i, entry_id in ipairs(ids) do popped[2 * i - 1], popped[2 * i] = entry_id, ranks[i] end
  redis.call('ZREM', keys.queue, unpack(ids))
  return popped
end

-- Takes up to `count` entries, starting with the entries that match the first filter. Returns each entry with its rank
-- and the zero-based index of the filter that it matched.
local function pop_preferred(keys, filters, is_newest, count)
  local taken, number = {}, 0
  for filter in string.gmatch(filters, '%S+') do
    local popped = #taken < count and pop(keys, filter, is_newest, count - #taken) or {}
    for i = 1, #popped, 2 do
      local entry = {entry_id = popped[i], rank = tonumber(popped[i + 1]), filter_index = number}
      -- Remove the entry from its segments, so that the next filter does not find it.
      leave_segments(keys, entry.entry_id, entry.rank)
      taken[#taken + 1] = entry
    end
    number = number + 1
  end
  return taken
end
