-- NEEDS ticket

-- Returns the next logical timestamp, which is later than all earlier ones and later than `known_stamp`. Logical
-- timestamps and tickets come from the same counter.
local function next_stamp(keys, now, last, known_stamp)
  last = last or redis.call('HGET', keys.meta, 'last_ticket')
  local stamp = ticket_after(math.max(tonumber(last), tonumber(known_stamp or 0)), now)
  redis.call('HSET', keys.meta, 'last_ticket', stamp)
  return stamp
end
