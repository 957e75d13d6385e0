-- The `readiness` hash contains the reasons why an entry is not ready, in the form
-- "version;reason=millis;reason=millis". Each reason ends at the time `millis`. If `millis` is 0, the end is not known.
--
-- A customer may have to confirm by a deadline that they are still waiting. The deadline then follows the version:
-- "version,millis;reason=millis". Once a script has handled the deadline, a `~` replaces the comma:
-- "version~millis;reason=millis".

-- This pattern matches only the reasons `delayed` and `declined`, which Redis decides on. An entry has at most one of them.
-- If Redis and the record have different delays, the delay that ends later applies.
local DELAY = ';(de[cl][la][iy]n?ed)=(%d+)'

-- Returns when the delay of an entry ends, and the reason for the delay. If the entry is not delayed, the time is 0.
local function delay_of(packed)
  local reason, millis = string.match(packed, DELAY)
  return tonumber(millis or 0), reason
end

-- The `away` reason says that the customer has stopped polling. Only Redis stores this reason, and the customer's next
-- poll ends it.
local AWAY = ';away=0'

local function is_away(packed)
  return string.find(packed, AWAY, 1, true) ~= nil
end

local function with_away(packed)
  return packed .. AWAY
end

local function without_away(packed)
  return (string.gsub(packed, AWAY, ''))
end

local function has_reason(packed)
  return string.find(packed, ';', 1, true) ~= nil
end

-- Returns whether an entry that is added to the queue is ready.
local function is_ready_to_wait(keys, entry_id)
  local packed = keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
  return not (packed and has_reason(packed))
end

-- Returns the deadline by which the customer must confirm that they are still waiting, or nil if the customer was not
-- asked.
local function question_of(packed)
  return packed and tonumber(string.match(packed, '^%d+,(%d+)'))
end

local function end_question(packed)
  return (string.gsub(packed, ',', '~', 1))
end

-- Returns whether Redis has already handled the confirmation deadline in `packed`, which comes from the record. A late
-- update from the record must not bring this deadline back.
local function has_ended_question(old, packed)
  local ended = old and string.match(old, '^%d+~(%d+)')
  return ended and question_of(packed) == tonumber(ended)
end

-- Returns the reasons why an entry is not ready, as rows of a reply. Also returns the deadline by which the customer
-- must confirm that they are still waiting, or 0.
local function reasons_of(keys, entry_id)
  local rows, packed = {}, keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
  for reason, millis in string.gmatch(packed or '', ';([%a_]+)=(%d+)') do
    rows[#rows + 1] = {reason, tonumber(millis)}
  end
  return rows, question_of(packed) or 0
end

-- Updates three counts after an entry's reasons have changed: entries with an unverified address, entries whose
-- customers were asked whether they are still waiting, and entries whose customers are away.
local function count_readiness(keys, before, packed)
  local function count(name, pattern)
    local change = (string.find(packed, pattern) and 1 or 0) - (string.find(before, pattern) and 1 or 0)
    if change ~= 0 then redis.call('HINCRBY', keys.meta, name, change) end
  end
  count('unverified', ';unverified=')
  count('asked', '^%d+,')
  count('away', AWAY)
end

-- Deletes the reasons why an entry is not ready, because the entry's signup has ended.
local function forget_readiness(keys, entry_id)
  local before = keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
  if not before then return end
  redis.call('HDEL', keys.readiness, entry_id)
  redis.call('ZREM', keys.ready_at, entry_id)
  redis.call('ZREM', keys.unverified, entry_id)
  count_readiness(keys, before, '')
end

-- Returns true if one of the stored reasons is that the entry's address is not verified yet.
local function is_unverified(packed)
  return packed and string.find(packed, ';unverified=', 1, true) ~= nil
end
