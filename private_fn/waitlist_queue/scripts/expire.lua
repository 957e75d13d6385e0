-- expire: ends expired holds and tells where those stand whose record may be behind.
-- USES home text clock ticket draw segments tags put gap aside back decide expiry
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags
-- ARGV min_age_seconds known_until limit now here
-- Those are told whose decision is so old, or came before that stamp.
-- RETURNS expired stamp whether_all max_attempts places
-- RETURNS cold | rebuilding
known_until = tonumber(known_until)

local meta = redis.call('HMGET', keys.meta, 'state', 'max_attempts', 'home')
if not at_home(meta[1], meta[3], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
local whether_all = end_expired(keys, tonumber(meta[2]), now) and 1 or 0

-- id, stamp, state, rank, ticket, attempts, token, time (deadline or parked), decisions, id, …
local places = {}
local stamp = draw(keys, now)
local until_stamp = math.max(stamp - tonumber(min_age_seconds) * TICKETS_PER_SECOND, known_until)
local unsettled = redis.call('ZRANGEBYSCORE', keys.unsettled, '-inf', until_stamp,
  'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #unsettled, 2 do
  local entry_id = unsettled[i]
  local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
  local note = not rank and note_of(keys, entry_id) or
    {state = rank and 'waiting' or 'absent', token = '', rank = rank or 0,
      ticket = rank and ticket_of(keys, entry_id, rank) or 0,
      attempts = tonumber(redis.call('HGET', keys.tries, entry_id) or 0)}
  local time = redis.call('ZSCORE', keys.held, entry_id) or
    redis.call('ZSCORE', keys.parked, entry_id) or '0'
  for _, value in ipairs({entry_id, unsettled[i + 1], note.state, text(note.rank),
    text(note.ticket), text(note.attempts), note.token, time,
    redis.call('HGET', keys.decided, entry_id) or ''}) do
    places[#places + 1] = value
  end
end
return {'expired', stamp, whether_all, tonumber(meta[2]), places}
