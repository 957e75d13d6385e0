-- Entries that are on the list and not in the queue: held by a claim, parked, or done (admitted, and kept until
-- maintenance has reconciled the record). The claims hash has a hold for each of them:
-- state|token|rank|ticket|attempts|stamp, where the stamp is that of the decision that took the entry out.
local function read_hold(keys, entry_id)
  local packed = redis.call('HGET', keys.claims, entry_id)
  if not packed then return nil end
  local state, token, rank, ticket, attempts, stamp =
    string.match(packed, '([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)')
  return {state = state, token = token, rank = tonumber(rank), ticket = tonumber(ticket),
    attempts = tonumber(attempts), stamp = tonumber(stamp)}
end

local function write_hold(keys, entry_id, hold)
  redis.call('HSET', keys.claims, entry_id, string.format('%s|%s|%d|%d|%d|%d',
    hold.state, hold.token, hold.rank, hold.ticket, hold.attempts, hold.stamp))
end

-- Marks an entry whose record may lack the decision of this stamp: maintenance reconciles it within a minute.
local function mark_dirty(keys, entry_id, stamp)
  redis.call('ZADD', keys.unsettled, stamp, entry_id)
end

-- Parks an entry for an operator to look at.
local function park(keys, entry_id, hold, millis)
  redis.call('ZREM', keys.held, entry_id)
  redis.call('ZADD', keys.parked, millis, entry_id)
  hold.state, hold.token = 'parked', ''
  write_hold(keys, entry_id, hold)
end
