-- Returns what a claim answers for one entry. If a hold that expired, or an offer without its customer, brought the
-- entry back into the queue, expired_stamp or no_show_stamp is the stamp of that end, and ended_millis its deadline, else
-- 0. See decide for the two before the last.
local function claimed(keys, entry_id, hold, deadline, filter_index)
  local before = decision_before(keys, entry_id, hold.stamp)
  local last = before and last_end(keys, entry_id, hold.stamp)
  local expired = last and last.verb == 'expired' and last
  local no_show = last and last.verb == 'no_show' and last
  return {entry_id, hold.token, deadline, hold.attempts, hold.rank, hold.ticket, expired and expired.stamp or 0,
    no_show and no_show.stamp or 0, (expired or no_show) and last.at or 0,
    hold.state ~= 'done' and hold.stamp, before and before.stamp or 0,
    before and (before.placed or before.stamp) or 0, filter_index}
end

-- Returns what an idempotency key keeps of one entry.
local function remembered(entry_id, token, filter_index)
  return entry_id .. ':' .. token .. (filter_index > 0 and ':' .. filter_index or '')
end

-- Returns the entries of an earlier claim that are still held or done: others have another token, or none. `deadlines` is
-- the sorted set that has theirs.
-- Done entries are part of it, because a claim that completes at once has no other replay.
local function replay(keys, claimed_before, deadlines)
  local entries = {}
  for entry_id, token, filter_index in string.gmatch(claimed_before, '(%w+):(%w+):?(%d*)') do
    local hold = read_hold(keys, entry_id)
    if hold and hold.token == token then
      local deadline = tonumber(redis.call('ZSCORE', deadlines, entry_id) or 0)
      entries[#entries + 1] = claimed(keys, entry_id, hold, deadline, tonumber(filter_index) or 0)
    end
  end
  return entries
end
