-- Why entries are not ready: `readiness` has, of each entry that ever was not in this stay, wherever on the list it is,
-- the version of its record and the reasons: "version;reason=millis;reason=millis", with 0 for an open end. A waiting
-- entry is passed over as long as it has a reason there; `ready_at` has when its next reason ends. While the customer
-- is asked whether they still wait, the deadline follows the version: "version,millis;reason=millis". That of a question
-- which a script has ended follows a `~`: the record still has the question until maintenance has recorded the end, and
-- what it sends for another reason must not bring the question back.

-- Redis decides a delay itself, and only time ends it: where Redis and the record have one each, the later counts.
local DELAYED = ';delayed=(%d+)'

local function delay_of(packed)
  return tonumber(string.match(packed, DELAYED) or 0)
end

local function has_reason(packed)
  return string.find(packed, ';', 1, true) ~= nil
end

-- Returns whether an entry that is to wait is ready.
local function is_ready_to_wait(keys, entry_id)
  local packed = keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
  return not (packed and has_reason(packed))
end

-- Returns the deadline of the question to a customer; nil without one.
local function question_of(packed)
  return packed and tonumber(string.match(packed, '^%d+,(%d+)'))
end

local function end_question(packed)
  return (string.gsub(packed, ',', '~', 1))
end

-- Returns whether a script has ended the question of a record, by what Redis has of the entry.
local function has_ended(old, packed)
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

-- Counts in `meta` how many entries have an address that is not verified, and how many customers are asked.
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
