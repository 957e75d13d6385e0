-- claim: holds entries at an end of the line for a time, after expired holds have come back.
-- USES home clock ticket draw segments tags put gap aside back decide decided expiry hold pop again
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags once
-- ARGV count lease_seconds order segment segments_version tokens once_seconds once_body now here
-- RETURNS claimed stamp entries | repeat stamp entries
-- RETURNS cold | rebuilding | waitlist_paused | expiring | segments_building | stale_segments
-- RETURNS idempotency_key_reused
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
local once_key = KEYS[12]
local count = ARGV[1]
local lease_seconds = ARGV[2]
local order = ARGV[3]
local segment = ARGV[4]
local segments_version = ARGV[5]
local tokens = ARGV[6]
local once_seconds = ARGV[7]
local once_body = ARGV[8]
local now = ARGV[9]
local here = ARGV[10]

local TOKEN_LENGTH = 40

now = micros(now) -- read once for all that follows
local meta = redis.call('HMGET', meta_key, 'state', 'paused', 'lease_seconds', 'max_attempts',
  'segments_version', 'segments_state', 'home', 'last_ticket')
if not at_home(meta[1], meta[7], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if meta[2] == '1' then return {'waitlist_paused'} end
if segment ~= '' and segments_version ~= (meta[5] or '0') then return {'stale_segments'} end
if segment ~= '' and meta[6] == 'building' then return {'segments_building'} end
local keys = {meta = meta_key, queue = queue_key, held = held_key, claims = claims_key,
  parked = parked_key, tries = tries_key, moved = moved_key, unsettled = unsettled_key,
  decided = decided_key, segments = segments_key, tags = (meta[5] or '0') ~= '0' and tags_key} -- nobody has any where no segments are declared
local is_all, drawn = end_expired(keys, tonumber(meta[4]), now)
if not is_all then return {'expiring'} end

local stamp = draw(meta_key, now, drawn or meta[8])
local claimed_before = once_seconds ~= '' and redis.call('GET', once_key)
if claimed_before then
  -- An earlier version wrote no digest of the body, and then no |.
  local body_before = string.match(claimed_before, '^(%x+)|')
  if body_before and body_before ~= once_body then return {'idempotency_key_reused'} end
  return {'repeat', stamp, told_again(keys, claimed_before)}
end

if lease_seconds == '' then lease_seconds = meta[3] end
local deadline = math.floor(micros(now) / 1000) + tonumber(lease_seconds) * 1000
local popped = pop(keys, segment, order == 'newest', count)
local entries, taken = {}, {}
for i = 1, #popped, 2 do
  local entry_id, rank = popped[i], tonumber(popped[i + 1])
  local token = string.sub(tokens, (i - 1) / 2 * TOKEN_LENGTH + 1, (i + 1) / 2 * TOKEN_LENGTH)
  tell(keys, entries, entry_id, hold(keys, entry_id, rank, token, deadline, stamp), deadline)
  if once_seconds ~= '' then taken[#taken + 1] = entry_id .. ':' .. token end
end
if once_seconds ~= '' then
  redis.call('SET', once_key, once_body .. '|' .. table.concat(taken, ' '), 'EX', once_seconds)
end
return {'claimed', stamp, entries}
