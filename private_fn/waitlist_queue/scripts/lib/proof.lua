-- Checks a claim token; returns the note, or the word that refuses it.
local function check_hold(keys, entry_id, token, now)
  local note = note_of(keys, entry_id)
  if not note or note.state == 'parked' then return nil, 'not_held' end
  if note.token ~= token then return nil, 'claim_mismatch' end
  if note.state == 'done' then return note, 'completed' end
  local deadline = tonumber(redis.call('ZSCORE', keys.held, entry_id))
  if deadline <= math.floor(micros(now) / 1000) then return nil, 'claim_expired' end
  return note
end
