-- expire: ends expired holds and tells where those stand whose record may be behind.
-- USES home text clock ticket draw segments tags put gap aside back decide expiry
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags
-- ARGV min_age_seconds known_until limit now here
-- Those are told whose decision is so old, or came before that stamp.
-- RETURNS expired stamp whether_all max_attempts places
-- RETURNS cold | rebuilding
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local claims_key = KEYS[4]
local parked_key = KEYS[5]
local tries_key = KEYS[6]
local moved_key = KEYS[7]
local unsettled_key = KEYS[8]
local decided_key = KEYS[9]
local segments_key = KEYS[10]
local tags_key = KEYS[11]
local min_age_seconds = ARGV[1]
local known_until = tonumber(ARGV[2])
local limit = ARGV[3]
local now = ARGV[4]
local here = ARGV[5]

local meta = redis.call('HMGET', meta_key, 'state', 'max_attempts', 'home')
if not at_home(meta[1], meta[3], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
local keys = {meta = meta_key, queue = queue_key, held = held_key, claims = claims_key,
  parked = parked_key, tries = tries_key, moved = moved_key, unsettled = unsettled_key,
  decided = decided_key, segments = segments_key, tags = tags_key}
local whether_all = end_expired(keys, tonumber(meta[2]), now) and 1 or 0

-- id, stamp, state, rank, ticket, attempts, token, time (deadline or parked), decisions, id, …
local places = {}
local stamp = draw(meta_key, now)
local until_stamp = math.max(stamp - tonumber(min_age_seconds) * TICKETS_PER_SECOND, known_until)
local unsettled = redis.call('ZRANGEBYSCORE', unsettled_key, '-inf', until_stamp,
  'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #unsettled, 2 do
  local entry_id = unsettled[i]
  local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
  local note = not rank and note_of(claims_key, entry_id) or
    {state = rank and 'waiting' or 'absent', token = '', rank = rank or 0,
      ticket = rank and ticket_of(moved_key, entry_id, rank) or 0,
      attempts = tonumber(redis.call('HGET', tries_key, entry_id) or 0)}
  local time = redis.call('ZSCORE', held_key, entry_id) or
    redis.call('ZSCORE', parked_key, entry_id) or '0'
  for _, value in ipairs({entry_id, unsettled[i + 1], note.state, text(note.rank),
    text(note.ticket), text(note.attempts), note.token, time,
    redis.call('HGET', decided_key, entry_id) or ''}) do
    places[#places + 1] = value
  end
end
return {'expired', stamp, whether_all, tonumber(meta[2]), places}
