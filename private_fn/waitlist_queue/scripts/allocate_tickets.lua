-- allocate_tickets: Allocates tickets for the rows of an import. If several rows have the same `joined_at`, also
-- returns the offset of the first of these rows.
-- PRELUDE clock cold rebuilding
-- NEEDS tickets
-- ARGV count shared_milliseconds known_stamp
-- `shared_milliseconds` contains a pair "ticket:count" for each `joined_at` that several rows have. The ticket is
-- computed from `joined_at`, and the count is the number of these rows. The pairs are separated by spaces.
-- RETURNS allocated stamp first apart offsets
local SHARED_MILLISECOND_SECONDS = 86400
-- The distance between the tickets of two signups. The ranks between these tickets stay free for entries that are moved
-- there later. The clock advances by 16,000 tickets per second. With a distance of 8, tickets are not ahead of the
-- clock until more than 2,000 customers sign up per second.
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
