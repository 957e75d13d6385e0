-- stats: Counts the entries on a waitlist. The counts are also available during a rebuild. If `is_due` is 1,
-- maintenance has work to do.
-- PRELUDE clock cold not_ready
-- NEEDS holds readiness tickets
-- ARGV near
-- RETURNS stats state epoch segments_state waiting offered parked inside counters head_ticket oldest_parked_millis pace quota quota_open quota_entered quota_since is_due last_stamp clock_stamp beat settings_version scheduled_until not_ready unverified asked away first
-- EACH counters signed_up left admitted entered declined no_shows
-- RETURNS expiring
if meta_state == 'warm' and has_expired_holds(keys, now) then return {'expiring'} end
local is_all = end_expired_reasons(keys, now)
local head_id, head_rank = unpack(redis.call('ZRANGE', keys.queue, 0, 0, 'WITHSCORES'))
local head_ticket = head_id and ticket_of(keys, head_id, tonumber(head_rank)) or false
local _, oldest_parked = unpack(redis.call('ZRANGE', keys.parked, 0, 0, 'WITHSCORES'))
local ready, offered = redis.call('ZCARD', keys.queue), redis.call('ZCARD', keys.held)
local not_ready = keys.not_ready and redis.call('ZCARD', keys.not_ready) or 0
local waiting = ready + not_ready
local millis = math.floor(now / 1000)
local inside = redis.call('ZCOUNT', keys.inside, '(' .. millis, '+inf')
local first = near ~= '0' and redis.call('ZRANGE', keys.queue, 0, near - 1) or {}
local parked, left, admitted = redis.call('ZCARD', keys.parked), meta_left, meta_admitted
-- After Redis has lost its data, the number of signups is restored from a value that may be a minute old, and therefore
-- too small. Everyone who is on the waitlist, has left or was admitted has signed up, so the number of signups is at
-- least the total of these people.
local signed_up = math.max(meta_signed_up, waiting + offered + parked + left + admitted)
local stamped_millis = math.floor(meta_last_ticket * 1000 / TICKETS_PER_SECOND + EPOCH_MICROS / 1000)
local is_policy_due = ready > 0 and meta_paused ~= '1' and (tonumber(meta_admit_at or nil) or math.huge) <= millis
-- A quota allows offers until a given number of people have entered. The fields of an ended quota stay in Redis until
-- the next quota begins, but must not appear in the reply.
local quota, open, entered, since = tonumber(meta_quota or 0), 0, 0, 0
if quota > 0 then
  open, entered, since = tonumber(meta_quota_open), tonumber(meta_quota_entered), tonumber(meta_quota_since)
end
local away = math.max(0, tonumber(meta_away or 0))
local is_due = is_policy_due or not is_all or away > 0 and not meta_presence_seconds or redis.call('ZCARD', keys.dirty) > 0 or
  redis.call('ZCOUNT', keys.inside, '(' .. stamped_millis, millis) > 0
return {'stats', meta_state, meta_epoch, meta_segments_state, waiting, offered, parked, inside,
  {signed_up, tonumber(left), tonumber(admitted), tonumber(meta_entered), tonumber(meta_declined),
  tonumber(meta_no_shows)}, head_ticket, tonumber(oldest_parked) or false,
  meta_pace or 'unknown', quota, open, entered, since, is_due and 1 or 0, tonumber(meta_last_ticket),
  ticket_after(0, now), tonumber(meta_beat), tonumber(meta_settings_version),
  tonumber(meta_scheduled_until), not_ready, math.max(0, tonumber(meta_unverified or 0)),
  math.max(0, tonumber(meta_asked or 0)), away, first}
