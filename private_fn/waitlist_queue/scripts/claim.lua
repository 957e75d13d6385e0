-- claim: holds entries at an end of the line for a time, after expired holds have come back.
-- USES home clock ticket draw segments tags put gap aside back decide decided expiry hold pop again
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags once
-- ARGV count lease_seconds order segment segments_version tokens once_seconds once_body now here
-- RETURNS claimed stamp entries | repeat stamp entries
-- RETURNS cold | rebuilding | waitlist_paused | expiring | segments_building | stale_segments
-- RETURNS idempotency_key_reused

local TOKEN_LENGTH = 40

now = micros(now) -- read once for all that follows
local meta = redis.call('HMGET', keys.meta, 'state', 'paused', 'lease_seconds', 'max_attempts',
  'segments_version', 'segments_state', 'home', 'last_ticket')
if not at_home(meta[1], meta[7], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
if meta[2] == '1' then return {'waitlist_paused'} end
if segment ~= '' and segments_version ~= (meta[5] or '0') then return {'stale_segments'} end
if segment ~= '' and meta[6] == 'building' then return {'segments_building'} end
if (meta[5] or '0') == '0' then keys.tags = nil end -- without declared segments no entry has tags
local is_all, drawn = end_expired(keys, tonumber(meta[4]), now)
if not is_all then return {'expiring'} end

local stamp = draw(keys, now, drawn or meta[8])
local claimed_before = once_seconds ~= '' and redis.call('GET', keys.once)
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
  redis.call('SET', keys.once, once_body .. '|' .. table.concat(taken, ' '), 'EX', once_seconds)
end
return {'claimed', stamp, entries}
