-- NEEDS reasons segments waiting

-- The functions in this file write the reasons why entries are not ready (see reasons.lua).

-- Writes the reasons why an entry is not ready. If the entry is waiting, also moves the entry to the sorted sets for
-- its new state. `before` contains the previous reasons, or nil if there were none.
local function write_readiness(keys, entry_id, before, packed)
  redis.call('HSET', keys.readiness, entry_id, packed)
  count_readiness(keys, before or '', packed)
  local first = math.huge
  for millis in string.gmatch(packed, '=([1-9]%d*)') do first = math.min(first, tonumber(millis)) end
  if first < math.huge then
    redis.call('ZADD', keys.ready_at, first, entry_id)
  elseif is_away(packed) then
    redis.call('ZADD', keys.ready_at, '+inf', entry_id)
  else
    redis.call('ZREM', keys.ready_at, entry_id)
  end
  local rank, was_ready = waiting_rank(keys, entry_id)
  local is_ready = not has_reason(packed)
  if not rank or is_ready == was_ready and is_unverified(packed) == is_unverified(before or '') then return end
  leave_segments(keys, entry_id, rank)
  remove_waiting(keys, entry_id)
  add_waiting(keys, entry_id, rank, is_ready)
  enter_segments(keys, entry_id, rank, is_ready)
end

local function with_delay(packed, until_millis, reason)
  local others = string.gsub(packed, DELAY, '')
  return until_millis > 0 and string.format('%s;%s=%d', others, reason, until_millis) or others
end

-- Copies the reasons why an entry is not ready from the record to Redis, and returns true. If Redis already has the
-- same or a newer version of the reasons, changes nothing and returns false.
local function accept_readiness(keys, entry_id, packed, is_another_stay)
  if not keys.not_ready then return false end
  if is_another_stay then forget_readiness(keys, entry_id) end
  if packed == '' then return false end
  local function version_of(text) return tonumber(string.match(text, '^%d+')) end
  local old = redis.call('HGET', keys.readiness, entry_id)
  if has_ended_question(old, packed) then packed = end_question(packed) end
  local is_at_least_as_new = old and version_of(old) >= version_of(packed)
  local until_millis, reason = delay_of(old or '')
  local new_until, new_reason = delay_of(packed)
  if is_at_least_as_new and new_until <= until_millis then return false end
  if new_until > until_millis then until_millis, reason = new_until, new_reason end
  local kept = with_delay(is_at_least_as_new and old or packed, until_millis, reason)
  if old and is_away(old) and not is_away(kept) then kept = with_away(kept) end
  write_readiness(keys, entry_id, old, kept)
  return true
end

-- If every entry on the waitlist has always been ready, the Redis keys for entries that are not ready do not exist.
-- This function then sets `keys.not_ready` to nil, so that the script does not use these keys.
--
-- If `readiness` is not empty, the script is about to store an entry that is not ready. The function then records in
-- Redis that the waitlist has had such an entry.
local function use_readiness(keys, is_used, readiness)
  if is_used then return end
  if readiness == '' then
    keys.not_ready = nil
  else
    redis.call('HSET', keys.meta, 'not_ready', '1')
  end
end

-- Delays an entry, so that it is not ready for the given number of seconds. `reason` is `delayed` or `declined`. If an
-- earlier delay of the entry ends later, the earlier delay stays in effect. Returns the time, in milliseconds, when the
-- new delay ends.
local function delay(keys, entry_id, reason, seconds, now)
  local until_millis = math.floor(now / 1000) + seconds * 1000
  local packed = redis.call('HGET', keys.readiness, entry_id) or '0'
  if until_millis > delay_of(packed) then
    write_readiness(keys, entry_id, packed, with_delay(packed, until_millis, reason))
  end
  return until_millis
end

local REASONS_AT_ONCE = 200

-- Deletes the expired reasons of a limited number of entries that are not ready. Returns true if no expired reasons are
-- left.
local function end_expired_reasons(keys, now)
  if not keys.not_ready then return true end
  local millis = math.floor(now / 1000)
  local ended = redis.call('ZRANGEBYSCORE', keys.ready_at, '-inf', millis, 'LIMIT', 0, REASONS_AT_ONCE)
  for _, entry_id in ipairs(ended) do
    local packed = redis.call('HGET', keys.readiness, entry_id)
    local kept = string.gsub(packed, ';[%a_]+=([1-9]%d*)', function(ends)
      if tonumber(ends) <= millis then return '' end
    end)
    write_readiness(keys, entry_id, packed, kept)
  end
  return #ended < REASONS_AT_ONCE
end
