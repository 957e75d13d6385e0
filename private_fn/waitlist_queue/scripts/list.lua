-- list: Reads a page of the waiting entries in queue order, or a page of the claimed or parked entries by time.
-- USES owner waiting reasons clock ticket segment_index tags readiness rests waiting_at wake off_queue expired
-- KEYS meta queue not_ready unverified ready_at readiness held parked claims tickets_of_moved segments tags
-- ARGV which after after_id first limit now server_run_id
-- META state owner not_ready
-- The page begins after the rank or time `after`, or at the position `first`. `which` is `waiting`, `ready`,
-- `not_ready`, `held` or `parked`.
-- RETURNS listed total entries next_rank
-- EACH entries entry_id position rank ticket attempts time_millis ready_ahead not_ready
-- EACH not_ready reason until_millis
-- RETURNS cold | rebuilding | expiring
local state = owned_state(meta_state, meta_owner, server_run_id)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
if has_expired_holds(keys, now) then return {'expiring'} end
if not meta_not_ready then keys.not_ready = nil end -- every entry on the waitlist has always been ready

local function page_off_queue(listed)
  local total, index = redis.call('ZCARD', listed), 0
  if after_id ~= '' then
    -- Many entries may have the same time. The page continues after the last entry of the previous page. If that entry
    -- is gone or has a different time now, the page begins with the first entry that has the time `after`.
    if tonumber(redis.call('ZSCORE', listed, after_id)) == tonumber(after) then
      index = redis.call('ZRANK', listed, after_id) + 1
    else
      index = redis.call('ZCOUNT', listed, '-inf', '(' .. after)
    end
  end
  local found, entries = redis.call('ZRANGE', listed, index, index + limit - 1, 'WITHSCORES'), {}
  for i = 1, #found, 2 do
    local hold, n = read_hold(keys, found[i]), #entries + 1
    entries[n] = {found[i], index + n, hold.rank, hold.ticket, hold.attempts, tonumber(found[i + 1]), false, {}}
  end
  return total, entries, false
end

-- Returns the first waiting entries, beginning at the rank `from`. If there are more entries than `limit`, the result
-- has one additional entry.
local function first_waiting(from)
  local entries = {}
  local function read(set)
    local found = redis.call('ZRANGEBYSCORE', set, from, '+inf', 'WITHSCORES', 'LIMIT', 0, limit + 1)
    for i = 1, #found, 2 do entries[#entries + 1] = {entry_id = found[i], rank = tonumber(found[i + 1])} end
  end
  if which ~= 'not_ready' then read(keys.queue) end
  if keys.not_ready and which ~= 'ready' then read(keys.not_ready) end
  table.sort(entries, function(a, b) return a.rank < b.rank end)
  return entries
end

local function page_of_waiting()
  local from = after == '' and '-inf' or '(' .. after
  if first ~= '' then
    local _, rank = waiting_at(keys, first - 1)
    from = rank or '+inf'
  end
  local found, ids, entries = first_waiting(from), {}, {}
  local is_more = #found > tonumber(limit)
  for i = 1, math.min(#found, limit) do ids[i] = found[i].entry_id end
  local tickets = #ids > 0 and redis.call('HMGET', keys.tickets_of_moved, unpack(ids))
  local first_id = unpack(ids)
  local ahead = first_id and count_ahead(keys, first_id)
  for i, entry_id in ipairs(ids) do
    local rank, ready_ahead = found[i].rank, false
    -- If every entry on the waitlist has always been ready, the positions on a page are consecutive.
    if keys.not_ready then ahead, ready_ahead = count_ahead(keys, entry_id) end
    entries[i] = {entry_id, keys.not_ready and ahead + 1 or ahead + i, rank,
      tonumber(tickets[i] or rank % TIER), 0, 0, ready_ahead, (reasons_of(keys, entry_id))}
  end
  return count_waiting(keys), entries, is_more and found[#ids].rank
end

local total, entries, next_rank
if which == 'held' or which == 'parked' then
  total, entries, next_rank = page_off_queue(which == 'held' and keys.held or keys.parked)
else
  if keys.not_ready then end_rests(keys, micros(now)) end
  total, entries, next_rank = page_of_waiting()
end
return {'listed', total, entries, next_rank}
