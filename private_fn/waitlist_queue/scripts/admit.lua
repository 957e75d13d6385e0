-- admit: offers places to the first entries of the queue: as many as the policy has due, or `count` by an operator.
-- USES owner clock ticket next_stamp segment_index tags enqueue gap off_queue requeue decide decided
-- USES expiry hold pop replay inside admission due
-- KEYS meta queue held claims parked attempts moved unsettled decided segments tags inside visits once
-- ARGV count segment segments_version tokens once_key once_seconds once_body
-- ARGV settings_version schedule_from instants next_instant now server_run_id
-- Without a `count` the policy decides, and a caller with older settings is `behind`. The instants ("millis:count",
-- a space between two) are all of the schedule between `schedule_from` and the last of them; `next_instant` is the
-- one after them.
-- RETURNS admitted stamp entries is_automatic is_more waiting | repeat stamp entries is_automatic is_more waiting
-- EACH entries entry_id token deadline_millis attempts rank ticket expired_stamp no_show_stamp
-- RETURNS behind scheduled_until
-- RETURNS cold | rebuilding | waitlist_paused | expiring | segments_building | stale_segments
-- RETURNS idempotency_key_reused
local TOKEN_LENGTH, MOST = 40, 100
local BETWEEN_RUNS = 1000 -- milliseconds between two runs that looks trigger, if less than MOST is due

now = micros(now) -- read once for the whole script
local meta = redis.call('HMGET', keys.meta, 'state', 'paused', 'max_attempts', 'segments_version',
  'segments_state', 'home', 'last_ticket', 'admit_at', 'settings_version')
if not owned_state(meta[1], meta[6], server_run_id) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if meta[2] == '1' then return {'waitlist_paused'} end
if segment ~= '' and segments_version ~= (meta[4] or '0') then return {'stale_segments'} end
if segment ~= '' and meta[5] == 'building' then return {'segments_building'} end
if (meta[4] or '0') == '0' then keys.tags = nil end -- without segments no entry has tags
local is_all, drawn = end_expired(keys, tonumber(meta[3]), now)
if not is_all then return {'expiring'} end

local stamp = next_stamp(keys, now, drawn or meta[7])
local claimed_before = once_key ~= '' and redis.call('GET', keys.once)
if claimed_before then
  local body, taken_at, acceptance = string.match(claimed_before, '^(%x+)|(%d+)|(%a+)|')
  if body ~= once_body then return {'idempotency_key_reused'} end
  local entries, is_automatic = replay(keys, claimed_before), acceptance == 'automatic'
  for _, entry in ipairs(is_automatic and entries or {}) do
    entry[3] = tonumber(redis.call('ZSCORE', keys.inside, entry[1]) or 0)
  end
  -- With the stamp of the first run: maintenance records the same offers with it.
  return {'repeat', tonumber(taken_at), entries, is_automatic, false, redis.call('ZCARD', keys.queue)}
end

local policy, millis = read_policy(keys, now), math.floor(now / 1000)
local room = room_of(keys, policy, now)
local due
if count ~= '' then
  due = math.min(tonumber(count), room or MOST)
else
  if policy.has_schedule == 1 then
    if tonumber(schedule_from) > policy.scheduled_until or
      tonumber(settings_version) < tonumber(meta[9]) then
      return {'behind', policy.scheduled_until}
    end
    count_instants(policy, instants, redis.call('ZCARD', keys.queue), millis)
  end
  due = places_due(policy, room, now)
end

local is_automatic = policy.acceptance == 'automatic'
local deadline = millis + policy.offer_seconds * 1000
local popped = due > 0 and pop(keys, segment, false, math.min(due, MOST)) or {}
local entries, taken = {}, {}
for i = 1, #popped, 2 do
  local entry_id, rank = popped[i], tonumber(popped[i + 1])
  local token = string.sub(tokens, (i - 1) / 2 * TOKEN_LENGTH + 1, (i + 1) / 2 * TOKEN_LENGTH)
  local hold = start_hold(keys, entry_id, rank, 'offered', token, deadline, stamp)
  entries[#entries + 1] = claimed(keys, entry_id, hold, deadline)
  if is_automatic then
    entries[#entries][3] = admit(keys, entry_id, hold, stamp, policy.pass_seconds, now)
  else
    decide(keys, entry_id, 'offered', hold, token, deadline)
  end
  if once_key ~= '' then taken[#taken + 1] = entry_id .. ':' .. token end
end
if is_automatic and entries[1] then redis.call('HINCRBY', keys.meta, 'admitted', #entries) end
if once_key ~= '' then
  local begun = string.format('%s|%d|%s|', once_body, stamp, is_automatic and 'automatic' or 'enter')
  redis.call('SET', keys.once, begun .. table.concat(taken, ' '), 'EX', once_seconds)
end

local waiting, is_more = redis.call('ZCARD', keys.queue), false
if count == '' then
  take_due(policy, #entries)
  redis.call('HSET', keys.meta, 'bucket_at', policy.bucket_at, 'scheduled', policy.scheduled,
    'scheduled_until', policy.scheduled_until)
  is_more = due > #entries and waiting > 0
end
if meta[8] then
  if room then room = room - #entries end
  local at = next_due(keys, policy, room, next_instant, millis)
  if waiting > 0 and not is_more then at = at and math.max(at, millis + BETWEEN_RUNS) end
  redis.call('HSET', keys.meta, 'admit_at', at or 'never')
end
return {'admitted', stamp, entries, is_automatic, is_more, waiting}
