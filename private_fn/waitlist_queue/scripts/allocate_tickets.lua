-- allocate_tickets: Allocates tickets for the rows of an import.
-- PRELUDE clock cold rebuilding
-- NEEDS tickets
-- ARGV count shared_milliseconds known_stamp
-- `shared_milliseconds` lists the signup times that several rows share, in the form "ticket:count". The ticket is
-- computed from the signup time.
-- RETURNS allocated stamp first apart offsets
-- How long Redis remembers the number of imported rows with the same signup time, so that later rows with this time are
-- placed behind them.
local SHARED_MILLISECOND_SECONDS = 86400
-- The distance between the tickets of consecutive signups. The ranks in between stay free for entries that are moved
-- there later. Tickets come from a clock that advances by 16,000 tickets per second, which is enough for 2,000 signups
-- per second.
local APART = 8

-- Imports wait while the queue is being rebuilt, because an imported row could be given the rank of an entry that has
-- not been restored yet.
local stamp = ticket_after(math.max(tonumber(meta_last_ticket), tonumber(known_stamp)), now)
redis.call('HSET', keys.meta, 'last_ticket', stamp + count * APART)
-- Several imported rows can share a signup time. The rows of this call are placed after the rows of earlier calls that
-- have the same signup time, so count those earlier rows.
local offsets = {}
for ticket, size in string.gmatch(shared_milliseconds, '(%d+):(%d+)') do
  offsets[#offsets + 1] = redis.call('HINCRBY', keys.shared_milliseconds, ticket, size) - size
end
if #offsets > 0 then redis.call('EXPIRE', keys.shared_milliseconds, SHARED_MILLISECOND_SECONDS) end
return {'allocated', stamp, stamp + 1, APART, offsets}
