-- NEEDS holds tickets waiting

-- Returns the place of an entry, or nil if Redis does not have the entry. If the entry is waiting, the place has the
-- state `waiting`. If the entry is claimed, offered a slot or parked (set aside), the place is the entry's hold from
-- the `claims` hash.
local function place_of(keys, entry_id)
  local rank = waiting_rank(keys, entry_id)
  if not rank then return read_hold(keys, entry_id) end
  return {state = 'waiting', token = '', rank = rank, was = rank, ticket = ticket_of(keys, entry_id, rank),
    attempts = tonumber(redis.call('HGET', keys.attempts, entry_id) or 0), stamp = 0, paid = ''}
end
