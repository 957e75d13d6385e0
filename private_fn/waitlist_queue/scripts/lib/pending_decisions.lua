-- Reads decisions that the record may lack (see decide).
local DECISION = '(%S-)|(%S-)|(%d+)|(-?%d+)|(%d+)|(%d+)|(%d+);?(%d*);?(%d*)'

-- Returns the decisions of an entry, oldest first.
local function read_decisions(keys, entry_id)
  local decisions, packed = {}, redis.call('HGET', keys.pending_decisions, entry_id)
  if not packed then return decisions end
  for verb, token, stamp, rank, ticket, attempts, at, basis, placed in string.gmatch(packed, DECISION) do
    decisions[#decisions + 1] = {verb = verb, token = token, stamp = tonumber(stamp), rank = tonumber(rank),
      ticket = tonumber(ticket), attempts = tonumber(attempts), at = tonumber(at),
      basis = tonumber(basis) or false, placed = tonumber(placed) or false}
  end
  return decisions
end

-- Returns the decisions of an entry as the rows of a reply.
local function decisions_of(keys, entry_id)
  local rows = {}
  for i, one in ipairs(read_decisions(keys, entry_id)) do
    rows[i] = {one.verb, one.token, one.stamp, one.rank, one.ticket, one.attempts, one.at, one.basis, one.placed}
  end
  return rows
end

-- Returns the newest decision for which `matches` returns true, or nil.
local function find_decision(keys, entry_id, matches)
  local found
  for _, decision in ipairs(read_decisions(keys, entry_id)) do
    if matches(decision) then found = decision end
  end
  return found
end

-- Returns the decision that this token has made already: its caller may not have received the answer.
local function decision_by_token(keys, entry_id, verb, token)
  return find_decision(keys, entry_id, function(one)
    return one.verb == verb and one.token == token
  end)
end

-- Forgets the decisions after a stamp, because their place is given up.
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

-- Returns the decision that brought an entry to where it was at a stamp, or nil. Moves within the queue do not count.
local function last_end(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(one)
    return one.verb ~= 'bumped' and one.stamp < stamp
  end)
end

-- Returns the newest decision before a stamp, or nil.
local function decision_before(keys, entry_id, stamp)
  return find_decision(keys, entry_id, function(one) return one.stamp < stamp end)
end

-- Returns `last_end` if its verb is `verb`.
local function last_end_by(keys, entry_id, verb, stamp)
  local last = last_end(keys, entry_id, stamp)
  return last and last.verb == verb and last
end
