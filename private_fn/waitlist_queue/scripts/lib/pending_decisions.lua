-- Reads the pending decisions about an entry, which are decisions that its record may lack.
local DECISION = '(%S-)|(%S-)|(%d+)|(-?%d+)|(%d+)|(%d+)|(%d+);(%d+);(%d+)'

-- Returns the pending decisions about an entry, oldest first.
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

-- Returns the pending decisions about an entry as rows of a reply.
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

-- Returns the pending decision that an earlier request with this claim token has caused, or nil.
local function decision_by_token(keys, entry_id, verb, token)
  return find_decision(keys, entry_id, function(decision)
    return decision.verb == verb and decision.token == token
  end)
end

-- Deletes the pending decisions after a logical timestamp, because the record has a newer place for the entry.
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

-- Returns the newest pending decision before a logical timestamp, or nil. Moves within the queue are ignored.
local function last_end(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(decision)
    return decision.verb ~= 'bumped' and decision.stamp < stamp
  end)
end

-- Returns the newest pending decision before a logical timestamp, or nil.
local function decision_before(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(decision) return decision.stamp < stamp end)
end

-- Returns the decision that ended the last claim or offer, if that decision has the given verb. Otherwise returns
-- a false value.
local function last_end_by(keys, entry_id, verb, stamp)
  local last = last_end(keys, entry_id, stamp)
  return last and last.verb == verb and last
end
