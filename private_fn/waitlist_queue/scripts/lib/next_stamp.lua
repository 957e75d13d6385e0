-- Returns the next value of the counter that tickets and stamps come from. `last` is its present value, if the
-- script has read it already.
local function next_stamp(keys, now, last)
  last = last or redis.call('HGET', keys.meta, 'last_ticket')
  local stamp = ticket_after(last, micros(now))
  redis.call('HSET', keys.meta, 'last_ticket', stamp)
  return stamp
end
