-- allocate_tickets: Draws a run of tickets for an import, and sequence numbers for its rows that share a millisecond.
-- USES owner clock ticket
-- KEYS meta shared_milliseconds
-- ARGV count shared_milliseconds known_stamp now server_run_id
-- META state owner last_ticket
-- `shared_milliseconds` ("ticket:count", separated by spaces) has each shared millisecond once. The ticket is the first ticket of
-- the millisecond, and the count is the number of rows that share it.
-- RETURNS allocated stamp first apart offsets | cold | rebuilding
local SHARED_MILLISECOND_SECONDS = 86400
-- The distance between two tickets of a run leaves room for entries that are moved ahead of the second ticket. A
-- larger distance would let the counter run ahead of the clock sooner. With this distance it does so from 2,000 signups
-- a second on.
local APART = 8

local state = owned_state(meta_state, meta_owner, server_run_id)
if not state then return {'cold'} end
-- The counters of shared milliseconds are lost together with the order. New rows must wait until the entries have been
-- restored, because they must not get the ranks of these entries.
if state == 'hydrating' then return {'rebuilding'} end
local stamp = ticket_after(math.max(tonumber(meta_last_ticket), tonumber(known_stamp)), micros(now))
redis.call('HSET', keys.meta, 'last_ticket', stamp + count * APART)
-- Rows of a later call that share the millisecond are placed behind the rows of this call, even if some entries have
-- left by then.
local offsets = {}
for ticket, size in string.gmatch(shared_milliseconds, '(%d+):(%d+)') do
  offsets[#offsets + 1] = redis.call('HINCRBY', keys.shared_milliseconds, ticket, size) - size
end
if #offsets > 0 then redis.call('EXPIRE', keys.shared_milliseconds, SHARED_MILLISECOND_SECONDS) end
return {'allocated', stamp, stamp + 1, APART, offsets}
