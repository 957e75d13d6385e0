-- Draws a ticket, or a stamp: the next of the one counter that both come from. `last` is the one
-- before it, where that has been read already.
local function draw(meta_key, now, last)
  last = last or redis.call('HGET', meta_key, 'last_ticket')
  local ticket = ticket_after(last, micros(now))
  redis.call('HSET', meta_key, 'last_ticket', ticket)
  return ticket
end
