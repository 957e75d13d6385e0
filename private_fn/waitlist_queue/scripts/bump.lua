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

local meta = redis.call('HMGET', keys.meta, 'state', 'home', 'last_ticket')
local state, last_ticket = at_home(meta[1], meta[2], here), meta[3]
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
if not rank then return {'not_waiting'} end
now = micros(now)
local ticket = ticket_of(keys, entry_id, rank)
local index = redis.call('ZRANK', keys.queue, entry_id)

-- The entry may stay in the set: entries behind it do not matter to a move ahead.
local function target()
  if kind == 'priority' then
    return free_rank(keys, entry_id, (255 - tonumber(value)) * TIER + ticket)
  end
  if kind == 'back' then
    last_ticket = draw(keys, now, last_ticket)
    return 255 * TIER + last_ticket
  end
  -- Not beyond the head of its own priority.
  local head = redis.call('ZCOUNT', keys.queue, '-inf', '(' .. text(first_rank_of(rank)))
  local places = kind == 'front' and index or tonumber(value)
  if index <= head then return rank end
  return rank_ahead_of(keys, math.max(head, index - places))
end

local attempts = tonumber(redis.call('HGET', keys.tries, entry_id) or 0)
local outcome = 'repeat'
forget_old_moves(keys, ticket_after(0, now), kept_seconds)
-- The previous version kept each move under a key of its own.
local moved_stamp = tonumber(redis.call('ZSCORE', keys.moves, once) or
  redis.call('GET', keys.once))
if not moved_stamp then
  outcome = 'moved'
  local place = target()
  if not place then return {'no_room'} end
  leave_segments(keys, entry_id, rank)
  rank = place
  put(keys, entry_id, rank, ticket)
end
local stamp = draw(keys, now, last_ticket)
local position = redis.call('ZRANK', keys.queue, entry_id) + 1
local moved_by
if moved_stamp then
  moved_by = distance_of(keys, once, moved_stamp)
else
  moved_stamp, moved_by = stamp, index + 1 - position
  local note = {stamp = stamp, rank = rank, ticket = ticket, attempts = attempts}
  decide(keys, entry_id, 'bumped', note, '', 0)
  remember_distance(keys, once, stamp, once_seconds, moved_by)
end
local expired = attempts > 0 and last_end(keys, entry_id, 'expired', stamp)
return {outcome, rank, ticket, stamp, moved_stamp, position, redis.call('ZCARD', keys.queue),
  attempts, expired and expired.at or 0, moved_by}
