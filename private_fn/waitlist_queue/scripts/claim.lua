-- claim: holds entries at an end of the line for a time, after expired holds have come back.
-- USES text clock ticket draw put gap aside back expiry hold
-- KEYS meta queue held claims parked tries moved unsettled once
-- ARGV count lease_seconds order tokens once_seconds now
-- RETURNS claimed stamp entries | repeat stamp entries
-- RETURNS cold | rebuilding | waitlist_paused | expiring
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local claims_key = KEYS[4]
local parked_key = KEYS[5]
local tries_key = KEYS[6]
local moved_key = KEYS[7]
local unsettled_key = KEYS[8]
local once_key = KEYS[9]
local count = ARGV[1]
local lease_seconds = ARGV[2]
local order = ARGV[3]
local tokens = ARGV[4]
local once_seconds = ARGV[5]
local now = ARGV[6]

local TOKEN_LENGTH = 40

now = micros(now) -- read once for all that follows
local meta = redis.call('HMGET', meta_key, 'state', 'paused', 'lease_seconds', 'max_attempts')
if not meta[1] then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if meta[2] == '1' then return {'waitlist_paused'} end
local keys = {queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, unsettled = unsettled_key}
if not end_expired(keys, tonumber(meta[4]), now) then return {'expiring'} end

-- id, token, deadline, attempts, rank, ticket, id, …
local entries = {}
local function tell(entry_id, note, deadline)
  for _, value in ipairs({entry_id, note.token, text(deadline), text(note.attempts),
    text(note.rank), text(note.ticket)}) do
    entries[#entries + 1] = value
  end
end

local stamp = draw(meta_key, now)
local claimed_before = once_seconds ~= '' and redis.call('GET', once_key)
if claimed_before then
  for entry_id, token in string.gmatch(claimed_before, '(%w+):(%w+)') do
    local note = note_of(claims_key, entry_id)
    if note and note.token == token and note.state ~= 'parked' then
      -- Whoever is done is told too: those who were admitted at once have no other repeat.
      tell(entry_id, note, tonumber(redis.call('ZSCORE', held_key, entry_id) or 0))
    end
  end
  return {'repeat', stamp, entries}
end

if lease_seconds == '' then lease_seconds = meta[3] end
local deadline = math.floor(micros(now) / 1000) + tonumber(lease_seconds) * 1000
local popped = redis.call(order == 'newest' and 'ZPOPMAX' or 'ZPOPMIN', queue_key, count)
local taken = {}
for i = 1, #popped, 2 do
  local entry_id, rank = popped[i], tonumber(popped[i + 1])
  local token = string.sub(tokens, #taken * TOKEN_LENGTH + 1, (#taken + 1) * TOKEN_LENGTH)
  local note = hold(keys, entry_id, rank, token, deadline)
  tell(entry_id, note, deadline)
  taken[#taken + 1] = entry_id .. ':' .. note.token
end
if once_seconds ~= '' then
  redis.call('SET', once_key, table.concat(taken, ' '), 'EX', once_seconds)
end
return {'claimed', stamp, entries}
