-- list_off_queue: Reads a page of the entries with a claim or an offer, or a page of the parked entries.
-- PRELUDE cold rebuilding expiring
-- NEEDS holds
-- ARGV which after after_id skip limit
-- If `which` is `held`, the page contains entries with a claim or an offer, sorted by deadline. If it is `parked`, the
-- page contains parked entries, sorted by the time when they were parked.
--
-- The page begins after the entry `after_id`. `after` is the deadline of that entry or, if the entry is parked, the
-- time when it was parked. If `after_id` is empty, the page begins after the first `skip` entries.
-- RETURNS listed total entries
-- EACH entries entry_id rank ticket attempts time_millis stamp
local listed = which == 'held' and keys.held or keys.parked
local index = tonumber(skip)
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
  local hold = read_hold(keys, found[i])
  entries[#entries + 1] = {found[i], hold.rank, hold.ticket, hold.attempts, tonumber(found[i + 1]), hold.stamp}
end
return {'listed', redis.call('ZCARD', listed), entries}
