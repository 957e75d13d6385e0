-- bump: moves a waiting entry to a priority, some places ahead, or to an end of the line.
-- USES home text clock ticket draw moves segments tags put gap ahead decide decided
-- KEYS meta queue moved tries unsettled decided segments tags moves once
-- ARGV entry_id kind value once once_seconds kept_seconds now here
-- RETURNS moved rank ticket stamp moved_stamp position total attempts expired_stamp moved_by
-- RETURNS repeat rank ticket stamp moved_stamp position total attempts expired_stamp moved_by
-- Moved_by is how many places nearer to the head the move brought it, negative if farther; '' of the
-- repeat of a move that was restored from the record, or made by an earlier version. Expired_stamp is
-- when the time of the hold before was up, if that brought the entry back into line, else 0.
-- RETURNS cold | rebuilding | not_waiting | no_room
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local moved_key = KEYS[3]
local tries_key = KEYS[4]
local unsettled_key = KEYS[5]
local decided_key = KEYS[6]
local segments_key = KEYS[7]
local tags_key = KEYS[8]
local moves_key = KEYS[9]
local once_key = KEYS[10]
local entry_id = ARGV[1]
local kind = ARGV[2]
local value = ARGV[3]
local once = ARGV[4]
local once_seconds = ARGV[5]
local kept_seconds = ARGV[6]
local now = ARGV[7]
local here = ARGV[8]

local meta = redis.call('HMGET', meta_key, 'state', 'home', 'last_ticket')
local state, last_ticket = at_home(meta[1], meta[2], here), meta[3]
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
if not rank then return {'not_waiting'} end
now = micros(now)
local ticket = ticket_of(moved_key, entry_id, rank)
local index = redis.call('ZRANK', queue_key, entry_id)

-- The entry may stay in the set: entries behind it do not matter to a move ahead.
local function target()
  if kind == 'priority' then
    return free_rank(queue_key, entry_id, (255 - tonumber(value)) * TIER + ticket)
  end
  if kind == 'back' then
    last_ticket = draw(meta_key, now, last_ticket)
    return 255 * TIER + last_ticket
  end
  -- Not beyond the head of its own priority.
  local head = redis.call('ZCOUNT', queue_key, '-inf', '(' .. text(first_rank_of(rank)))
  local places = kind == 'front' and index or tonumber(value)
  if index <= head then return rank end
  return rank_ahead_of(queue_key, moved_key, math.max(head, index - places))
end

local keys = {queue = queue_key, moved = moved_key, unsettled = unsettled_key,
  decided = decided_key, segments = segments_key, tags = tags_key}
local attempts = tonumber(redis.call('HGET', tries_key, entry_id) or 0)
local outcome = 'repeat'
forget_old_moves(moves_key, ticket_after(0, now), kept_seconds)
-- The previous version kept each move under a key of its own.
local moved_stamp = tonumber(redis.call('ZSCORE', moves_key, once) or
  redis.call('GET', once_key))
if not moved_stamp then
  outcome = 'moved'
  local place = target()
  if not place then return {'no_room'} end
  leave_segments(keys, entry_id, rank)
  rank = place
  put(keys, entry_id, rank, ticket)
end
local stamp = draw(meta_key, now, last_ticket)
local position = redis.call('ZRANK', queue_key, entry_id) + 1
local moved_by
if moved_stamp then
  moved_by = distance_of(moves_key, once, moved_stamp)
else
  moved_stamp, moved_by = stamp, index + 1 - position
  local note = {stamp = stamp, rank = rank, ticket = ticket, attempts = attempts}
  decide(keys, entry_id, 'bumped', note, '', 0)
  remember_distance(moves_key, once, stamp, once_seconds, moved_by)
end
local expired = attempts > 0 and last_end(decided_key, entry_id, 'expired', stamp)
return {outcome, rank, ticket, stamp, moved_stamp, position, redis.call('ZCARD', queue_key),
  attempts, expired and expired.at or 0, moved_by}
