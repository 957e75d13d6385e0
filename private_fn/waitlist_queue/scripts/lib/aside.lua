-- Those on the list who do not stand in line: held by a claim, parked, or done (admitted, and
-- not yet forgotten). Each has a note in the claims hash: state|token|rank|ticket|attempts|stamp,
-- where the stamp is that of the decision that put them there.
local function note_of(keys, entry_id)
  local packed = redis.call('HGET', keys.claims, entry_id)
  if not packed then return nil end
  local state, token, rank, ticket, attempts, stamp =
    string.match(packed, '([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)')
  return {state = state, token = token, rank = tonumber(rank), ticket = tonumber(ticket),
    attempts = tonumber(attempts), stamp = tonumber(stamp)}
end

local function write_note(keys, entry_id, note)
  redis.call('HSET', keys.claims, entry_id, string.format('%s|%s|%d|%d|%d|%d',
    note.state, note.token, note.rank, note.ticket, note.attempts, note.stamp))
end

-- The record may be behind the decision of this stamp: maintenance will look, in a minute.
local function unsettle(keys, entry_id, stamp)
  redis.call('ZADD', keys.unsettled, stamp, entry_id)
end

-- Puts an entry aside for a person to look at.
local function put_aside(keys, entry_id, note, millis)
  redis.call('ZREM', keys.held, entry_id)
  redis.call('ZADD', keys.parked, millis, entry_id)
  note.state, note.token = 'parked', ''
  write_note(keys, entry_id, note)
end
