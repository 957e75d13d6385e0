-- Takes an entry's place away, unless the place is another stay's; says whether it did.
local function take_out(queue_key, moved_key, entry_id, stay_ticket)
  local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
  if not rank then return false end
  local ticket = ticket_of(moved_key, entry_id, rank)
  if stay_ticket ~= '' and ticket ~= tonumber(stay_ticket) then return false end
  redis.call('ZREM', queue_key, entry_id)
  redis.call('HDEL', moved_key, entry_id)
  return true
end
