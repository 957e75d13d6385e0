-- Draws a ticket, or a stamp: the next of the one counter that both come from. `last` is the one
-- before it, where that has been read already.
local function draw(keys, now, last)
  last = last or redis.call('HGET', keys.meta, 'last_ticket')
  local ticket = ticket_after(last, micros(now))
  redis.call('HSET', keys.meta, 'last_ticket', ticket)
  return ticket
end
