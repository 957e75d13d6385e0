-- Reads the pending decisions of an entry, which are decisions that its record may lack (see decide.lua).
local DECISION = '(%S-)|(%S-)|(%d+)|(-?%d+)|(%d+)|(%d+)|(%d+);(%d+);(%d+)'

-- Returns the pending decisions of an entry. The oldest decision comes first.
local function read_decisions(keys, entry_id)
  local decisions, packed = {}, redis.call('HGET', keys.pending_decisions, entry_id)
  if not packed then return decisions end
  for verb, token, stamp, rank, ticket, attempts, at, basis, placed in string.gmatch(packed, DECISION) do
    decisions[#decisions + 1] = {verb = verb, token = token, stamp = tonumber(stamp), rank = tonumber(rank),
      ticket = tonumber(ticket), attempts = tonumber(attempts), at = tonumber(at),
      basis = tonumber(basis), placed = tonumber(placed)}
  end
  return decisions
end

-- Returns the pending decisions of an entry in the form in which a script returns them.
local function decisions_of(keys, entry_id)
  local rows = {}
  for i, decision in ipairs(read_decisions(keys, entry_id)) do
    rows[i] = {decision.verb, decision.token, decision.stamp, decision.rank, decision.ticket, decision.attempts,
      decision.at, decision.basis, decision.placed}
  end
  return rows
end

-- Returns the newest pending decision for which `matches` returns true, or nil.
local function find_decision(keys, entry_id, matches)
  local found
  for _, decision in ipairs(read_decisions(keys, entry_id)) do
    if matches(decision) then found = decision end
  end
  return found
end

-- Returns the pending decision that an earlier request with this claim token has caused, or nil. A caller repeats a
-- request if it did not receive the answer.
local function decision_by_token(keys, entry_id, verb, token)
  return find_decision(keys, entry_id, function(decision)
    return decision.verb == verb and decision.token == token
  end)
end

-- Deletes the pending decisions that are later than a stamp (logical timestamp). The place in the record has replaced
-- the place that these decisions gave to the entry.
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

-- Returns the newest pending decision before a stamp (logical timestamp), or nil. Moves within the queue are ignored.
local function last_end(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(decision)
    return decision.verb ~= 'bumped' and decision.stamp < stamp
  end)
end

-- Returns the newest pending decision before a stamp (logical timestamp). Returns nil if there is no such decision.
local function decision_before(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(decision) return decision.stamp < stamp end)
end

-- Calls last_end, and returns the decision if it has the given verb.
local function last_end_by(keys, entry_id, verb, stamp)
  local last = last_end(keys, entry_id, stamp)
  return last and last.verb == verb and last
end
