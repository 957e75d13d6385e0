-- Draws a ticket, or a stamp: the next of the one counter that both come from.
local function draw(meta_key, now)
  local ticket = ticket_after(redis.call('HGET', meta_key, 'last_ticket'), micros(now))
  redis.call('HSET', meta_key, 'last_ticket', ticket)
  return ticket
end
