-- The reasons why entries are not ready. The hash `readiness` has an item for each entry on the list that has been not
-- ready during its stay. The item is "version;reason=millis;reason=millis", with the version of the record, and 0 for a
-- reason whose end is open. A waiting entry is passed over while it has a reason. `ready_at` has the time at which its
-- next reason ends. While the customer is asked whether they still wait, the deadline of the question follows the
-- version: "version,millis;reason=millis". If a script has ended the question, the deadline follows a `~` instead. The
-- record keeps the question until maintenance has recorded its end. Until then, an update of the record for another
-- reason must not bring the question back.

-- Redis decides delays itself, and only time ends them. If both Redis and the record have a delay, the later one
-- counts.
local DELAYED = ';delayed=(%d+)'

local function delay_of(packed)
  return tonumber(string.match(packed, DELAYED) or 0)
end

local function has_reason(packed)
  return string.find(packed, ';', 1, true) ~= nil
end

-- Returns whether an entry that is about to wait is ready.
local function is_ready_to_wait(keys, entry_id)
  local packed = keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
  return not (packed and has_reason(packed))
end

-- Returns the deadline of the open question to a customer, or nil if there is none.
local function question_of(packed)
  return packed and tonumber(string.match(packed, '^%d+,(%d+)'))
end

local function end_question(packed)
  return (string.gsub(packed, ',', '~', 1))
end

-- Returns whether a script has already ended the question that the record still has. `old` is the readiness in Redis.
local function has_ended_question(old, packed)
  local ended = old and string.match(old, '^%d+~(%d+)')
  return ended and question_of(packed) == tonumber(ended)
end

-- Returns the reasons why an entry is not ready, as the rows of a reply, and the deadline of the question or 0.
local function reasons_of(keys, entry_id)
  local rows, packed = {}, keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
  for reason, millis in string.gmatch(packed or '', ';([%a_]+)=(%d+)') do
    rows[#rows + 1] = {reason, tonumber(millis)}
  end
  return rows, question_of(packed) or 0
end

-- Updates the counts in `meta` of entries with an unverified address and of customers who are asked whether they still
-- wait.
local function count_readiness(keys, before, packed)
  local function count(name, pattern)
    local change = (string.find(packed, pattern) and 1 or 0) - (string.find(before, pattern) and 1 or 0)
    if change ~= 0 then redis.call('HINCRBY', keys.meta, name, change) end
  end
  count('unverified', ';unverified=')
  count('asked', '^%d+,')
end

-- Forgets why an entry is not ready, because its stay has ended.
local function forget_readiness(keys, entry_id)
  local before = keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
  if not before then return end
  redis.call('HDEL', keys.readiness, entry_id)
  redis.call('ZREM', keys.ready_at, entry_id)
  redis.call('ZREM', keys.unverified, entry_id)
  count_readiness(keys, before, '')
end
