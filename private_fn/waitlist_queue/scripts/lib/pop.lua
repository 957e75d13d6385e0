-- Takes up to `count` off an end of the line, or of a segment; returns id, rank, id, rank, …
local SEGMENT_END = 16 -- of "segment:rank:entry"
local RANK_END = 33

local function pop(keys, segment, is_newest, count)
  if segment == '' then
    return redis.call(is_newest and 'ZPOPMAX' or 'ZPOPMIN', keys.queue, count)
  end
  -- A semicolon comes next to the colon that ends a segment's id.
  local first, last = '[' .. segment .. ':', '(' .. segment .. ';'
  local members = is_newest and
    redis.call('ZREVRANGEBYLEX', keys.segments, last, first, 'LIMIT', 0, count) or
    redis.call('ZRANGEBYLEX', keys.segments, first, last, 'LIMIT', 0, count)
  local popped, ids = {}, {}
  for i, member in ipairs(members) do
    ids[i] = string.sub(member, RANK_END + 2)
    popped[2 * i - 1] = ids[i]
    popped[2 * i] = string.sub(member, SEGMENT_END + 2, RANK_END)
  end
  if ids[1] then redis.call('ZREM', keys.queue, unpack(ids)) end
  return popped
end
