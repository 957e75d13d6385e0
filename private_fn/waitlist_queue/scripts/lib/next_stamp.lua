-- Returns the next value of the counter that tickets and stamps come from. `last` is its present value, if the
-- script has read it already. The value is also later than `known_stamp`, the newest stamp that the record has of the
-- entry: while an entry is off the list, the record draws the stamps of its events without Redis.
local function next_stamp(keys, now, last, known_stamp)
  last = last or redis.call('HGET', keys.meta, 'last_ticket')
  local stamp = ticket_after(math.max(tonumber(last), tonumber(known_stamp or 0)), micros(now))
  redis.call('HSET', keys.meta, 'last_ticket', stamp)
  return stamp
end
