-- allocate_tickets: Allocates tickets for the rows of an import, and numbers for rows with the same `joined_at`.
-- PRELUDE clock cold rebuilding
-- NEEDS tickets
-- ARGV count shared_milliseconds known_stamp
-- For each `joined_at` that several rows share, `shared_milliseconds` contains a pair "ticket:count". The pairs are
-- separated by spaces.
-- RETURNS allocated stamp first apart offsets
local SHARED_MILLISECOND_SECONDS = 86400
-- The distance between the tickets of two signups. The ranks between these tickets stay free for entries that are moved
-- there later. With a distance of 8, tickets do not get ahead of the clock unless more than 2,000 customers sign up per
-- second.
local APART = 8

-- An import must wait until a rebuild has ended. Before that, its rows could get the ranks of entries that have not
-- been restored yet.
local stamp = ticket_after(math.max(tonumber(meta_last_ticket), tonumber(known_stamp)), now)
redis.call('HSET', keys.meta, 'last_ticket', stamp + count * APART)
-- If a later call has rows with the same `joined_at`, these rows get higher numbers. They are therefore placed behind
-- the rows of this call.
local offsets = {}
for ticket, size in string.gmatch(shared_milliseconds, '(%d+):(%d+)') do
  offsets[#offsets + 1] = redis.call('HINCRBY', keys.shared_milliseconds, ticket, size) - size
end
if #offsets > 0 then redis.call('EXPIRE', keys.shared_milliseconds, SHARED_MILLISECOND_SECONDS) end
return {'allocated', stamp, stamp + 1, APART, offsets}
