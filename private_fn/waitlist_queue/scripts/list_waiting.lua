-- list_waiting: Reads a page of the waiting entries in serving order.
-- PRELUDE clock cold rebuilding expiring not_ready
-- NEEDS readiness reasons tickets waiting
-- ARGV which after first limit
-- The page begins after the rank `after`, or at the position `first`. `which` is `waiting`, `ready` or `not_ready`.
-- RETURNS listed total entries next_rank
-- EACH entries entry_id position rank ticket ready_ahead not_ready
-- EACH not_ready reason until_millis
if keys.not_ready then end_expired_reasons(keys, now) end
local from = after == '' and '-inf' or '(' .. after
if first ~= '' then
  local _, rank = waiting_at(keys, first - 1)
  from = rank or '+inf'
end

-- Read one entry more than `limit`, to find out whether there is another page.
local found = {}
local function read(set)
  local members = redis.call('ZRANGEBYSCORE', set, from, '+inf', 'WITHSCORES', 'LIMIT', 0, limit + 1)
  for i = 1, #members, 2 do found[#found + 1] = {entry_id = members[i], rank = tonumber(members[i + 1])} end
end
if which ~= 'not_ready' then read(keys.queue) end
if keys.not_ready and which ~= 'ready' then read(keys.not_ready) end
table.sort(found, function(a, b) return a.rank < b.rank end)
local is_more = #found > tonumber(limit)

local ids, entries = {}, {}
for i = 1, math.min(#found, limit) do ids[i] = found[i].entry_id end
local tickets = #ids > 0 and redis.call('HMGET', keys.tickets_of_moved, unpack(ids))
local first_id = unpack(ids)
local ahead = first_id and count_ahead(keys, first_id)
for i, entry_id in ipairs(ids) do
  local rank, ready_ahead = found[i].rank, false
  -- If every entry on the waitlist has always been ready, the positions on a page are consecutive.
  if keys.not_ready then ahead, ready_ahead = count_ahead(keys, entry_id) end
  entries[i] = {entry_id, keys.not_ready and ahead + 1 or ahead + i, rank,
    tonumber(tickets[i] or rank % TIER), ready_ahead, (reasons_of(keys, entry_id))}
end
return {'listed', count_waiting(keys), entries, is_more and found[#ids].rank}
