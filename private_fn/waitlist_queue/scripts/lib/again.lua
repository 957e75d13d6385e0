-- What a claim returns of each entry: id, token, deadline, attempts, rank, ticket, and the stamp
-- at which the time of the hold before was up, if that brought the entry back into line, else 0.
local function tell(keys, entries, entry_id, note, deadline)
  local n = #entries
  entries[n + 1], entries[n + 2], entries[n + 3] = entry_id, note.token, deadline
  entries[n + 4], entries[n + 5], entries[n + 6] = note.attempts, note.rank, note.ticket
  local expired = note.attempts > 0 and last_end(keys, entry_id, 'expired', note.stamp)
  entries[n + 7] = expired and expired.at or 0
end

-- Those of an earlier claim who are still held. Whoever is done is told too: those who were
-- admitted at once have no other repeat.
local function told_again(keys, claimed_before)
  local entries = {}
  for entry_id, token in string.gmatch(claimed_before, '(%w+):(%w+)') do
    local note = note_of(keys, entry_id)
    if note and note.token == token and note.state ~= 'parked' then
      tell(keys, entries, entry_id, note, tonumber(redis.call('ZSCORE', keys.held, entry_id) or 0))
    end
  end
  return entries
end
