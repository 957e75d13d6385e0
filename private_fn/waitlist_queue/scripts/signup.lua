-- signup: Adds entries at the end of the queue, or at a given rank. An entry that is already waiting keeps its place.
--
-- PRELUDE clock owner
-- NEEDS holds inside opening pace policy ranks readiness reasons segments tickets tombstone waiting
-- ARGV stays
-- PER_RUN 50
--
-- `stays` contains one text for each signup, separated by spaces. `_pack_stay` in `arguments.py` creates these texts.
-- The script returns one reply for each signup.
-- RETURNS joined|already rank ticket stamp position total pace ready_ahead
-- RETURNS cold|rebuilding|expiring|gone|stale_segments|waitlist_closed|not_open_yet|waitlist_full
local APART = 8 -- leaves room for seven entries that are moved ahead of the second of two signups

local capacity, last_ticket, signed_up = tonumber(meta_capacity), meta_last_ticket, meta_signed_up
-- If `stays` contains a semicolon, at least one of the new entries is not ready.
use_readiness(keys, meta_not_ready, string.match(stays, ';') or '')
local total, hides_counts = count_waiting(keys), meta_hide_counts == '1'
local verified = count_verified(keys) -- the entries that positions count
local off_queue = capacity and redis.call('ZCARD', keys.held) + redis.call('ZCARD', keys.parked)
local apart, clock_ticket, shut = 1, nil, nil
local is_anyone_inside, is_last, is_expiring = nil, false, false -- `inside` is read only if a signup needs it
if meta_state then
  is_expiring = meta_state == 'warm' and has_expired_holds(keys, now)
  clock_ticket = ticket_after(0, now)
  shut = shut_line(meta_open, meta_opens_millis, meta_closes_millis, now)
  -- There are usually gaps between the tickets of signups. While tickets are more than a second ahead of the clock,
  -- leave no gaps, so that tickets do not get further ahead.
  if last_ticket - clock_ticket <= TICKETS_PER_SECOND then apart = APART end
end

local function place(stay, entry_id, join_id, given_rank, given_ticket, known_stamp, segments_version, readiness, tags)
  if not meta_state then return {'cold'} end
  if is_expiring then return {'expiring'} end
  -- The text "entry_id:join_id" is also the name of the tombstone.
  if redis.call('ZSCORE', keys.tombstones, stay) then
    -- If the waitlist is still full, a repeated signup is refused for the same reason as the first one.
    if capacity and meta_state == 'warm' and total + off_queue >= capacity then return {'waitlist_full'} end
    return {'gone'}
  end
  local rank = waiting_rank(keys, entry_id)
  local hold = not rank and read_hold(keys, entry_id)
  if hold then
    -- This stamp (logical timestamp) must be older than the decision that took the entry out of the queue. Otherwise,
    -- the record would not keep that decision.
    local stamp = given_rank and hold.stamp - 1 or hold.ticket
    return {'already', hold.rank, hold.ticket, stamp, false, false, false, false}
  end
  local outcome, ticket = 'already', nil
  local stamp = math.max(last_ticket + (given_rank and 1 or apart), clock_ticket, known_stamp + 1)
  if rank then
    ticket = ticket_of(keys, entry_id, rank)
  else
    if shut and not given_rank then
      add_tombstone(keys, entry_id, join_id, stamp)
      if shut == 'closed' then return {'waitlist_closed'} end
      return {'not_open_yet'}
    end
    if segments_version ~= meta_segments_version then return {'stale_segments'} end
    -- During a rebuild, the number of entries on the waitlist is unknown.
    if capacity and meta_state == 'hydrating' then return {'rebuilding'} end
    if capacity and total + off_queue >= capacity then
      add_tombstone(keys, entry_id, join_id, stamp)
      return {'waitlist_full'}
    end
    outcome = 'joined'
    if given_ticket then
      rank = free_rank(keys, entry_id, given_rank) or free_rank_after(keys, given_rank)
      ticket = given_ticket
    elseif given_rank then
      rank, ticket = free_rank_after(keys, given_rank), given_rank % TIER
      -- New tickets must be later than this ticket, even if the importing client's clock is ahead.
      stamp = math.max(stamp, rank % TIER + 1)
    else
      rank, ticket = BACK + stamp, stamp
    end
    accept_readiness(keys, entry_id, readiness, true)
    local is_ready = not has_reason(readiness)
    add_waiting(keys, entry_id, rank, is_ready)
    if is_anyone_inside == nil then is_anyone_inside = redis.call('ZCARD', keys.inside) > 0 end
    if is_anyone_inside and take_outside(keys, entry_id) then wake(keys) end
    if rank % TIER ~= ticket then redis.call('HSET', keys.tickets_of_moved, entry_id, ticket) end
    if tags ~= '' then
      redis.call('HSET', keys.tags, entry_id, tags)
      add_index_members(keys, entry_id, rank, tags, is_ready)
    end
    signed_up, total = signed_up + 1, total + 1
    if not is_unverified(readiness) then verified = verified + 1 end
  end
  -- The event that asks the customer to verify the address uses the stamp after the ticket.
  last_ticket = is_unverified(readiness) and stamp + 1 or stamp
  if meta_state == 'hydrating' then return {outcome, rank, ticket, stamp, false, false, false, false} end
  local is_signup = outcome == 'joined' and not given_rank
  local is_counted = not is_unverified(readiness)
  local others, ready_ahead = is_counted and verified - 1 or verified, false
  local ahead = others
  if not (is_last and is_signup) then
    ahead, ready_ahead = count_ahead(keys, entry_id)
  elseif keys.not_ready then
    ready_ahead = redis.call('ZCARD', keys.queue) - (has_reason(readiness) and 0 or 1)
  end
  local position = ahead + 1
  -- If this signup is now the last entry in the queue, the next signup of this run is placed directly behind it.
  is_last = is_last or is_signup and ahead == others
  local pace = not given_rank and pace_of(meta_paused, meta_pace)
  return {outcome, rank, ticket, stamp, position, (given_rank or not hides_counts) and verified, pace,
    ready_ahead}
end

local replies = {}
local stay_of = '((%w+):(%w+)):(%-?%d*):(%d*):(%d+):(%d+):([^:]*):(%S*)'
for stay, entry_id, join_id, rank, ticket, known_stamp, version, readiness, tags in string.gmatch(stays, stay_of) do
  replies[#replies + 1] = place(stay, entry_id, join_id, tonumber(rank), tonumber(ticket),
    tonumber(known_stamp), version, readiness, tags)
end
if last_ticket ~= meta_last_ticket then
  redis.call('HSET', keys.meta, 'last_ticket', last_ticket, 'signed_up', signed_up)
end
return replies
