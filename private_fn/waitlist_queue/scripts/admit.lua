-- admit: Makes offers to the first customers in the queue, to a given customer, or to the invitees of an invitation. If
-- `count` is missing, the admission policy decides how many customers get an offer.
-- PRELUDE clock cold rebuilding filters claimed tags passing_over
-- NEEDS certain expiry invitees offers policy presence readiness replay tickets
-- ARGV count refill offer_seconds entry_id ticket filters segments_version tokens once_key once_seconds once_body
-- ARGV settings_version schedule_version counted_until counted_slots schedule_from instants next_instant hours
-- ARGV invitees offer_until_millis
-- If `refill` is 1, unused offers go to the next customers until `count` more customers have entered. `instants` has
-- the form "millis:count", `hours` the form "opens:closes" and `invitees` the form "entry:ticket", separated by spaces.
-- If `offer_until_millis` is not 0, the offers belong to an invitation. `invitees` can then be empty.
-- RETURNS admitted stamp entries is_automatic is_more waiting scheduled_until scheduled taken
-- RETURNS repeat stamp entries is_automatic is_more waiting taken
-- EACH entries entry_id token deadline_millis attempts rank ticket expired_stamp no_show_stamp ended_millis stamp basis_stamp placed_stamp filter_index
-- RETURNS behind scheduled_until settings_version
-- RETURNS waitlist_paused|expiring|idempotency_key_reused|not_waiting|entry_not_ready|inside_full|admission_over
local MOST = 100
local BETWEEN_RUNS = 1000 -- milliseconds between two runs that polls trigger, unless MOST slots or more are due

if meta_paused == '1' and count ~= '0' then return {'waitlist_paused'} end
local is_all, drawn = end_expired(keys, tonumber(meta_max_attempts), now)
if not (is_all and end_expired_reasons(keys, now)) then return {'expiring'} end

local stamp = next_stamp(keys, now, drawn or meta_last_ticket)
local claimed_before = once_key ~= '' and redis.call('GET', keys.once)
if claimed_before then
  local body, taken_at, acceptance = string.match(claimed_before, '^(%x*)|(%d+)|(%a+)|')
  if body ~= once_body then return {'idempotency_key_reused'} end
  local is_automatic = acceptance == 'automatic'
  local entries = replay(keys, claimed_before, is_automatic and keys.inside or keys.held)
  -- Return the stamp of the first run, because maintenance records the same offers with this stamp.
  return {'repeat', tonumber(taken_at), entries, is_automatic, false, redis.call('ZCARD', keys.queue),
    count_taken(claimed_before)}
end

local policy, millis = read_policy(keys, now), math.floor(now / 1000)
if policy.is_over and (entry_id ~= '' or (tonumber(count) or 0) > 0) then return {'admission_over'} end
local room = room_of(keys, policy, now)
policy.offer_seconds = tonumber(offer_seconds) or policy.offer_seconds
local popped, due = {}, 0 -- `due` is the number of customers whom the policy may admit now
local has_room = false -- whether an invitation may make more offers
local paid = function() return '' end
local function take(most) return pop_present(keys, filters, most, policy.presence_seconds, now) end
if entry_id ~= '' then
  local rank, refusal = check_certain(keys, entry_id, ticket)
  if not rank then return {refusal} end
  if room == 0 then return {'inside_full'} end
  popped = {take_certain(keys, entry_id, rank)}
elseif offer_until_millis ~= '0' then
  policy.offer_until = until_over(policy.until_millis, tonumber(offer_until_millis))
  local most = policy.offer_until > millis and math.min(tonumber(count), room or MOST) or 0
  popped = take_invitees(keys, invitees, tokens, most)
  has_room = not room or room > #popped
elseif count == '0' then
  policy.quota, policy.quota_open = 0, 0
  redis.call('HSET', keys.meta, 'quota', 0, 'quota_open', 0, 'quota_number', policy.quota_number + 1)
elseif count ~= '' then
  popped = take(math.min(tonumber(count), room or MOST, MOST))
  if refill == '1' then
    paid = function() return 'q' .. policy.quota_number end
    if policy.quota == 0 then redis.call('HSET', keys.meta, 'quota_since', millis, 'quota_entered', 0) end
    policy.quota, policy.quota_open = policy.quota + count, policy.quota_open + #popped
    policy.quota_offer_seconds = policy.offer_seconds
    redis.call('HSET', keys.meta, 'quota', policy.quota, 'quota_open', policy.quota_open,
      'quota_offer_seconds', offer_seconds)
  end
else
  if policy.has_schedule or policy.has_hours then
    local has_same_schedule = tonumber(schedule_version) == policy.schedule_version
    if has_same_schedule then take_over_counted(policy, tonumber(counted_until), tonumber(counted_slots)) end
    if not has_same_schedule or tonumber(schedule_from) > policy.scheduled_until or
      tonumber(settings_version) < tonumber(meta_settings_version) then
      return {'behind', policy.scheduled_until, tonumber(meta_settings_version)}
    end
    count_instants(policy, instants, redis.call('ZCARD', keys.queue), millis)
    read_hours(policy, hours, millis)
  end
  due = slots_due(policy, room, now)
  popped = take(math.min(due, MOST))
  paid = function(number) return paid_by(policy, number) end
  take_due(keys, policy, #popped, now)
end
local entries, tokens_of, is_automatic = offer(keys, popped, policy, tokens, stamp, paid, now)
if once_key ~= '' then
  local begun = string.format('%s|%d|%s|', once_body, stamp, is_automatic and 'automatic' or 'enter')
  redis.call('SET', keys.once, begun .. table.concat(tokens_of, ' '), 'EX', once_seconds)
end

local waiting = redis.call('ZCARD', keys.queue)
local is_more = (due > #popped or has_room) and waiting > 0
if meta_paused ~= '1' and (policy.has_limit or policy.quota > 0) then
  if room then room = room - #popped end
  local at = next_due(keys, policy, room, next_instant, millis)
  if waiting > 0 and not is_more then at = at and math.max(at, millis + BETWEEN_RUNS) end
  redis.call('HSET', keys.meta, 'admit_at', at or 'never')
elseif meta_paused ~= '1' then
  redis.call('HDEL', keys.meta, 'admit_at')
end
return {'admitted', stamp, entries, is_automatic, is_more, waiting, policy.scheduled_until, policy.scheduled,
  #popped}
