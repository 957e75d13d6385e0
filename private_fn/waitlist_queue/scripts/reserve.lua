-- reserve: draws a run of tickets for an import, and the next numbers of the crowds in it.
-- USES home state clock ticket
-- KEYS meta crowds
-- ARGV count crowds remembered_seconds now here
-- Crowds are "ticket:count", a space between two, no ticket twice: all of one millisecond.
-- RETURNS reserved stamp first apart offsets | cold | rebuilding
-- Between two of a run there is room for some who are moved ahead of the second. More would have
-- the counter outrun its clock sooner: this does from 2,000 people a second on.
local APART = 8

local state = state_here(keys, here)
if not state then return {'cold'} end
-- How many of a millisecond there are is forgotten with the order: whoever comes next of them must
-- find those who are restored.
if state == 'hydrating' then return {'rebuilding'} end
local stamp = ticket_after(redis.call('HGET', keys.meta, 'last_ticket'), micros(now))
redis.call('HSET', keys.meta, 'last_ticket', stamp + count * APART)
-- Of one millisecond those of the next call come behind those of this one, also where some of
-- these have left by then.
local offsets = {}
for ticket, size in string.gmatch(crowds, '(%d+):(%d+)') do
  offsets[#offsets + 1] = redis.call('HINCRBY', keys.crowds, ticket, size) - size
end
if offsets[1] then redis.call('EXPIRE', keys.crowds, remembered_seconds) end
return {'reserved', stamp, stamp + 1, APART, offsets}
