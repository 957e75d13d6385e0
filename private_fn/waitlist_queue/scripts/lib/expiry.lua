-- Ends holds whose time is up: back to the old place, or parked after too many attempts.
local EXPIRED_AT_ONCE = 200

local function end_hold(keys, entry_id, deadline, max_attempts, millis, stamp)
  local note = note_of(keys, entry_id)
  local ended = math.min(stamp, ticket_after(note.stamp, deadline * 1000))
  note.attempts, note.stamp = note.attempts + 1, stamp
  if note.attempts >= max_attempts then
    put_aside(keys, entry_id, note, millis)
    decide(keys, entry_id, 'worn_out', note, '', millis)
  else
    note.rank = return_to_line(keys, entry_id, note, note.rank)
    decide(keys, entry_id, 'expired', note, '', ended)
  end
end

-- Returns whether none is left (one call ends a bounded number), and the stamp if it drew one.
local function end_expired(keys, max_attempts, now)
  local millis = math.floor(micros(now) / 1000)
  if redis.call('ZCOUNT', keys.held, '-inf', millis) == 0 then return true end
  local expired = redis.call('ZRANGEBYSCORE', keys.held, '-inf', millis,
    'WITHSCORES', 'LIMIT', 0, EXPIRED_AT_ONCE)
  local stamp = draw(keys, now)
  for i = 1, #expired, 2 do
    end_hold(keys, expired[i], tonumber(expired[i + 1]), max_attempts, millis, stamp)
  end
  return #expired < 2 * EXPIRED_AT_ONCE, stamp
end
