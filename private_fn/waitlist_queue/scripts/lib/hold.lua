-- Gives one entry out of line to a claimer; returns its note.
local function hold(keys, entry_id, rank, token, deadline)
  local note = {state = 'held', token = token, rank = rank,
    ticket = ticket_of(keys.moved, entry_id, rank),
    attempts = tonumber(redis.call('HGET', keys.tries, entry_id) or 0)}
  redis.call('HDEL', keys.moved, entry_id)
  redis.call('HDEL', keys.tries, entry_id)
  redis.call('ZADD', keys.held, deadline, entry_id)
  write_note(keys.claims, entry_id, note)
  return note
end

-- Checks a claim token; returns the note, or the word that refuses it.
local function check_hold(keys, entry_id, token, now)
  local note = note_of(keys.claims, entry_id)
  if not note or note.state == 'parked' then return nil, 'not_held' end
  if note.token ~= token then return nil, 'claim_mismatch' end
  if note.state == 'done' then return note, 'completed' end
  local deadline = tonumber(redis.call('ZSCORE', keys.held, entry_id))
  if deadline <= math.floor(micros(now) / 1000) then return nil, 'claim_expired' end
  return note
end
