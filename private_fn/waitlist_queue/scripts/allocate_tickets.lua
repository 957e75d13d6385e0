-- allocate_tickets: draws a run of tickets for an import, and the next numbers within shared milliseconds.
-- USES owner clock ticket
-- KEYS meta same_ms_counts
-- ARGV count crowds known_stamp now server_run_id
-- META state home last_ticket
-- Crowds are "ticket:count", a space between two, each ticket once: the rows that share its millisecond.
-- RETURNS reserved stamp first apart offsets | cold | rebuilding
local CROWD_SECONDS = 86400
-- Between two tickets of a run there is room for entries that are moved ahead of the second. More room would let
-- the counter outrun its clock sooner: with this it does from 2,000 signups a second on.
local APART = 8

local state = owned_state(meta_state, meta_home, server_run_id)
if not state then return {'cold'} end
-- The counters of shared milliseconds are lost with the order: later rows must meet the restored entries.
if state == 'hydrating' then return {'rebuilding'} end
local stamp = ticket_after(math.max(tonumber(meta_last_ticket), tonumber(known_stamp)), micros(now))
redis.call('HSET', keys.meta, 'last_ticket', stamp + count * APART)
-- Rows of the next call that share a millisecond come behind those of this call, even if some of these have left.
local offsets = {}
for ticket, size in string.gmatch(crowds, '(%d+):(%d+)') do
  offsets[#offsets + 1] = redis.call('HINCRBY', keys.same_ms_counts, ticket, size) - size
end
if #offsets > 0 then redis.call('EXPIRE', keys.same_ms_counts, CROWD_SECONDS) end
return {'reserved', stamp, stamp + 1, APART, offsets}
