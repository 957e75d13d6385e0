-- position: Reads an entry's position in the queue and within some of its segments.
-- PRELUDE clock cold rebuilding expiring not_ready
-- NEEDS holds pace presence readiness reasons segments tickets waiting
-- ARGV entry_id segments_version segments is_poll
-- If `is_poll` is 1, the customer has sent the request and counts as present.
--
-- If the admission policy has slots to offer, `is_due` is true in one reply per second. The caller that receives this
-- reply must then run the policy.
-- RETURNS waiting total hide_counts is_due has_call_numbers position rank ticket places pace ready_ahead not_ready confirm_by_millis presence_seconds
-- RETURNS absent total hide_counts is_due has_call_numbers
-- EACH places position total
-- EACH not_ready reason until_millis
-- RETURNS held|offered|parked|done|no_show total hide_counts is_due has_call_numbers rank ticket offered_until_millis token
-- RETURNS segments_building|stale_segments
local BETWEEN_POLLS = 1000 -- milliseconds between two polls that trigger a run

local hide_counts, has_call_numbers = meta_hide_counts == '1', meta_has_call_numbers == '1'
if segments ~= '' and segments_version ~= meta_segments_version then return {'stale_segments'} end
if segments ~= '' and meta_segments_state == 'building' then return {'segments_building'} end
end_expired_reasons(keys, now)
-- waiting_rank and count_ahead use two commands, because Redis 7.0 and ElastiCache for Redis OSS do not support ZRANK
-- with the WITHSCORE option.
local rank, is_ready = waiting_rank(keys, entry_id)
if rank and not is_ready and is_poll == '1' then is_ready = not has_reason(end_absence(keys, entry_id)) end
local ready = redis.call('ZCARD', keys.queue)
local total = count_verified(keys)
local admit_at, is_due = meta_admit_at and tonumber(meta_admit_at), false
if admit_at and ready > 0 then
  local millis = math.floor(now / 1000)
  is_due = millis >= admit_at
  if is_due then redis.call('HSET', keys.meta, 'admit_at', millis + BETWEEN_POLLS) end
end
local is_watched = meta_presence_seconds and is_poll == '1'
if not rank then
  local hold = read_hold(keys, entry_id)
  if not hold then return {'absent', total, hide_counts, is_due, has_call_numbers} end
  local until_millis = hold.state == 'offered' and
    tonumber(redis.call('ZSCORE', keys.held, entry_id))
  if is_watched and until_millis then note_poll(keys, entry_id, now) end
  return {hold.state, total, hide_counts, is_due, has_call_numbers, hold.rank, hold.ticket, until_millis, hold.token}
end
local ahead, ready_ahead = count_ahead(keys, entry_id)
is_watched = is_watched and (ready_ahead or ahead) < WATCHED
if is_watched then note_poll(keys, entry_id, now) end
local ticket = ticket_of(keys, entry_id, rank)
local places = {}
for segment in string.gmatch(segments, '%w+') do
  local place = sortable(rank) .. ':' .. entry_id
  local function count_until(mark)
    return redis.call('ZLEXCOUNT', keys.segments, '[' .. segment .. mark, '[' .. segment .. mark .. place)
  end
  local mark = mark_of(keys, entry_id, is_ready)
  local within = redis.call('ZSCORE', keys.segments, segment .. mark .. place) and
    count_until(READY) + (keys.not_ready and count_until(NOT_READY) or 0) + (mark == UNVERIFIED and 1 or 0)
  local first, last = '[' .. segment .. READY, '(' .. segment .. UNVERIFIED
  places[#places + 1] = {within, redis.call('ZLEXCOUNT', keys.segments, first, last)}
end
local reasons, confirm_by_millis = reasons_of(keys, entry_id)
return {'waiting', total, hide_counts, is_due, has_call_numbers, ahead + 1, rank, ticket, places,
  pace_of(meta_paused, meta_pace), ready_ahead, reasons, confirm_by_millis,
  is_watched and tonumber(meta_presence_seconds)}
