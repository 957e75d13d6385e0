-- NEEDS decisions holds

-- Returns the values that describe an entry in the reply to a claim or an admission.
local function claim_row(keys, entry_id, hold, deadline, filter_index)
  local before = decision_before(keys, entry_id, hold.stamp)
  local last = before and last_end(keys, entry_id, hold.stamp)
  local expired = last and last.verb == 'expired' and last
  local no_show = last and last.verb == 'no_show' and last
  return {entry_id, hold.token, deadline, hold.attempts, hold.rank, hold.ticket, expired and expired.stamp or 0,
    no_show and no_show.stamp or 0, (expired or no_show) and last.at or 0,
    hold.state ~= 'done' and hold.stamp, before and before.stamp or 0,
    before and before.placed or 0, filter_index}
end

-- Returns a text that describes an entry that was claimed or admitted. Redis stores the text, so that the reply to a
-- repeated request can contain the same entries.
local function once_text(entry_id, token, filter_index)
  return entry_id .. ':' .. token .. (filter_index > 0 and ':' .. filter_index or '')
end

-- Returns the entries for the reply to a repeated request. An entry that the first request took is included if it is
-- still claimed or offered, or if its customer has been admitted.
local function replay(keys, claimed_before, deadlines)
  local entries = {}
  for entry_id, token, filter_index in string.gmatch(claimed_before, '(%w+):(%w+):?(%d*)') do
    local hold = read_hold(keys, entry_id)
    if hold and hold.token == token then
      local deadline = tonumber(redis.call('ZSCORE', deadlines, entry_id) or 0)
      entries[#entries + 1] = claim_row(keys, entry_id, hold, deadline, tonumber(filter_index) or 0)
    end
  end
  return entries
end

-- Returns how many entries the first request took.
local function count_taken(claimed_before)
  local _, taken = string.gsub(claimed_before, '%w+:%w+', '')
  return taken
end
