-- What a claim tells: id, token, deadline, attempts, rank, ticket, id, …
local function tell(entries, entry_id, note, deadline)
  local n = #entries
  entries[n + 1], entries[n + 2], entries[n + 3] = entry_id, note.token, deadline
  entries[n + 4], entries[n + 5], entries[n + 6] = note.attempts, note.rank, note.ticket
end

-- Those of an earlier claim who are still held. Whoever is done is told too: those who were
-- admitted at once have no other repeat.
local function told_again(keys, claimed_before)
  local entries = {}
  for entry_id, token in string.gmatch(claimed_before, '(%w+):(%w+)') do
    local note = note_of(keys.claims, entry_id)
    if note and note.token == token and note.state ~= 'parked' then
      tell(entries, entry_id, note, tonumber(redis.call('ZSCORE', keys.held, entry_id) or 0))
    end
  end
  return entries
end
