-- Takes up to `count` entries off an end of the queue, or of a segment; returns id, rank, id, rank, …
local ID_BEGIN = 35 -- of "segment:rank:entry"

local function pop(keys, segment, is_newest, count)
  if segment == '' then
    return redis.call(is_newest and 'ZPOPMAX' or 'ZPOPMIN', keys.queue, count)
  end
  -- A semicolon comes next to the colon that ends a segment's id.
  local first, last = '[' .. segment .. ':', '(' .. segment .. ';'
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
