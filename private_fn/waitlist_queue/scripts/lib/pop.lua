-- Takes entries off an end of the queue, or of segments. A claim or an admission names `filters`, a space between two, in
-- order of preference: the id of a segment each, or `*` for the whole queue.
local ID_BEGIN = 35 -- of "segment:rank:entry"
local EVERYONE = '*'

-- Takes up to `count` entries by one filter; returns id, rank, id, rank, …
local function pop(keys, filter, is_newest, count)
  if filter == EVERYONE then
    return redis.call(is_newest and 'ZPOPMAX' or 'ZPOPMIN', keys.queue, count)
  end
  -- A semicolon comes next to the colon that ends a segment's id.
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

-- Takes up to `count` entries, each by the first of the filters that an entry matches; returns each with its rank and
-- the number of the filter, from 0.
local function pop_preferred(keys, filters, is_newest, count)
  local taken, number = {}, 0
  for filter in string.gmatch(filters, '%S+') do
    local popped = #taken < count and pop(keys, filter, is_newest, count - #taken) or {}
    for i = 1, #popped, 2 do
      local one = {entry_id = popped[i], rank = tonumber(popped[i + 1]), filter_index = number}
      -- The next filter must not find it.
      leave_segments(keys, one.entry_id, one.rank)
      taken[#taken + 1] = one
    end
    number = number + 1
  end
  return taken
end
