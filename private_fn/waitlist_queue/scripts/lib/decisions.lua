-- A decision is a change that a script has made to an entry. A decision is pending until it has been written to the
-- entry's record in DynamoDB. The `pending_decisions` hash contains the pending decisions about each entry, oldest
-- first.
--
-- A decision is stored as text. The function `read_decisions` splits it into fields, which the Python class `Decision`
-- explains.
local DECISIONS_KEPT = 16 -- for each entry, because a caller may move an entry any number of times

-- Returns the logical timestamp and the `placed` field of the newest pending decision about an entry. Both are 0 if
-- there is no pending decision.
local function newest_of(packed)
  local stamp, placed = string.match(packed or '', '|(%d+)|%-?%d+|%d+|%d+|%d+;%d+;(%d+);%d+;%d+$')
  return {stamp = tonumber(stamp or 0), placed = tonumber(placed or 0)}
end

local function decide(keys, entry_id, verb, hold, token, at)
  redis.call('ZADD', keys.dirty, hold.stamp, entry_id)
  local before = redis.call('HGET', keys.pending_decisions, entry_id)
  local last = newest_of(before)
  hold.basis = hold.basis or last.stamp
  hold.placed = hold.rank ~= hold.was and hold.stamp or last.placed
  local decision = string.format('%s|%s|%d|%d|%d|%d|%d;%d;%d;%d;%d', verb, token, hold.stamp, hold.rank,
    hold.ticket, hold.attempts, at, hold.basis, hold.placed, hold.until_millis or 0, hold.declines or 0)
  if before then
    local _, more = string.gsub(before, ' ', '')
    if more + 2 > DECISIONS_KEPT then before = string.match(before, ' (.*)') end
    decision = before .. ' ' .. decision
  end
  redis.call('HSET', keys.pending_decisions, entry_id, decision)
end

-- Matches the text of one pending decision.
local DECISION = '(%S-)|(%S-)|(%d+)|(-?%d+)|(%d+)|(%d+)|(%d+);(%d+);(%d+);(%d+);(%d+)'

-- Returns the pending decisions about an entry, oldest first.
local function read_decisions(keys, entry_id)
  local decisions, packed = {}, redis.call('HGET', keys.pending_decisions, entry_id)
  if not packed then return decisions end
  for verb, token, stamp, rank, ticket, attempts, at, basis, placed, until_millis, declines in
    string.gmatch(packed, DECISION) do
    decisions[#decisions + 1] = {verb = verb, token = token, stamp = tonumber(stamp), rank = tonumber(rank),
      ticket = tonumber(ticket), attempts = tonumber(attempts), at = tonumber(at),
      basis = tonumber(basis), placed = tonumber(placed), until_millis = tonumber(until_millis),
      declines = tonumber(declines)}
  end
  return decisions
end

-- Returns the pending decisions about an entry, in the form that replies use.
local function decisions_of(keys, entry_id)
  local rows = {}
  for i, decision in ipairs(read_decisions(keys, entry_id)) do
    rows[i] = {decision.verb, decision.token, decision.stamp, decision.rank, decision.ticket, decision.attempts,
      decision.at, decision.basis, decision.placed, decision.until_millis, decision.declines}
  end
  return rows
end

-- Returns the newest pending decision for which the function `matches` returns true. Returns nil if there is none.
local function find_decision(keys, entry_id, matches)
  local found
  for _, decision in ipairs(read_decisions(keys, entry_id)) do
    if matches(decision) then found = decision end
  end
  return found
end

-- Returns the pending decision with this verb and claim token, or nil if there is none.
local function decision_by_token(keys, entry_id, verb, token)
  return find_decision(keys, entry_id, function(decision)
    return decision.verb == verb and decision.token == token
  end)
end

-- Deletes the pending decisions about an entry that are newer than the logical timestamp `stamp`. These decisions no
-- longer apply, because the record contains a different place for the entry.
local function forget_decisions_after(keys, entry_id, stamp)
  local kept, newest = {}, nil
  for row in string.gmatch(redis.call('HGET', keys.pending_decisions, entry_id) or '', '%S+') do
    local own = tonumber(string.match(row, '^%S-|%S-|(%d+)'))
    if own <= stamp then kept[#kept + 1], newest = row, own end
  end
  if newest then
    redis.call('HSET', keys.pending_decisions, entry_id, table.concat(kept, ' '))
    redis.call('ZADD', keys.dirty, newest, entry_id)
  else
    redis.call('HDEL', keys.pending_decisions, entry_id)
    redis.call('ZREM', keys.dirty, entry_id)
  end
end

-- Returns the newest pending decision about an entry before a logical timestamp, ignoring moves within the queue.
-- Returns nil if there is none.
local function last_end(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(decision)
    return decision.verb ~= 'bumped' and decision.stamp < stamp
  end)
end

-- Returns the newest pending decision about an entry before a logical timestamp, or nil if there is none.
local function decision_before(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(decision) return decision.stamp < stamp end)
end

-- Returns the newest pending decision about an entry before a logical timestamp, ignoring moves within the queue.
-- Returns false if this decision does not have the verb `verb`. Returns nil if there is no such decision.
local function last_end_by(keys, entry_id, verb, stamp)
  local last = last_end(keys, entry_id, stamp)
  return last and last.verb == verb and last
end
