-- bump: moves a waiting entry to a priority, some places ahead, or to an end of the line.
-- USES home state clock ticket draw segments tags put gap aside
-- KEYS meta queue moved unsettled segments tags once
-- ARGV entry_id kind value once_seconds now here
-- RETURNS moved rank ticket stamp moved_stamp position total
-- RETURNS repeat rank ticket stamp moved_stamp position total
-- RETURNS cold | rebuilding | not_waiting | no_room
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local moved_key = KEYS[3]
local unsettled_key = KEYS[4]
local segments_key = KEYS[5]
local tags_key = KEYS[6]
local once_key = KEYS[7]
local entry_id = ARGV[1]
local kind = ARGV[2]
local value = ARGV[3]
local once_seconds = ARGV[4]
local now = ARGV[5]
local here = ARGV[6]

local state = state_here(meta_key, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
if not rank then return {'not_waiting'} end
local ticket = ticket_of(moved_key, entry_id, rank)
local index = redis.call('ZRANK', queue_key, entry_id)

-- Where to? Those behind the entry do not matter to a move ahead, so it may stay in the set.
local function target()
  if kind == 'priority' then
    return free_rank(queue_key, entry_id, (255 - tonumber(value)) * TIER + rank % TIER)
  end
  if kind == 'back' then
    if index == redis.call('ZCARD', queue_key) - 1 then return rank end
    return 255 * TIER + draw(meta_key, now)
  end
  if index == 0 then return rank end
  local ahead = kind == 'front' and index or math.min(tonumber(value), index)
  return rank_before(queue_key, index - ahead)
end

local outcome = 'repeat'
local moved_stamp = tonumber(redis.call('GET', once_key))
if not moved_stamp then
  outcome = 'moved'
  local place = target()
  if not place then return {'no_room'} end
  local keys = {queue = queue_key, moved = moved_key, segments = segments_key, tags = tags_key}
  leave_segments(keys, entry_id, rank)
  rank = place
  put(keys, entry_id, rank, ticket)
end
local stamp = draw(meta_key, now)
if not moved_stamp then
  moved_stamp = stamp
  unsettle(unsettled_key, entry_id, stamp)
  redis.call('SET', once_key, stamp, 'EX', once_seconds)
end
local position = redis.call('ZRANK', queue_key, entry_id) + 1
return {outcome, rank, ticket, stamp, moved_stamp, position, redis.call('ZCARD', queue_key)}
