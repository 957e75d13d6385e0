-- Finds decisions that the record may not have yet (see decide).
local DECISION = '(%S-)|(%S-)|(%d+)|(-?%d+)|(%d+)|(%d+)|(%d+)'

-- The newest decision for which `is_it` returns true, or nil.
local function decision_of(keys, entry_id, is_it)
  local found
  local packed = redis.call('HGET', keys.decided, entry_id) or ''
  for verb, token, stamp, rank, ticket, attempts, at in string.gmatch(packed, DECISION) do
    local decision = {verb = verb, token = token, stamp = tonumber(stamp), rank = tonumber(rank),
      ticket = tonumber(ticket), attempts = tonumber(attempts), at = tonumber(at)}
    if is_it(decision) then found = decision end
  end
  return found
end

-- The decision that this token has made already: its caller may not have been answered.
local function made_by(keys, entry_id, verb, token)
  return decision_of(keys, entry_id, function(one)
    return one.verb == verb and one.token == token
  end)
end

-- The end of a hold by time that brought an entry where it was at a stamp: a move changes nothing
-- of that.
local function last_end(keys, entry_id, verb, stamp)
  local last = decision_of(keys, entry_id, function(one)
    return one.verb ~= 'bumped' and one.stamp < stamp
  end)
  return last and last.verb == verb and last
end
