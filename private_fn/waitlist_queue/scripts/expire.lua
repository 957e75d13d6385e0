-- expire: Ends expired claims and offers, and lists entries whose records may be out of date.
-- PRELUDE clock cold rebuilding claimed not_ready
-- NEEDS decisions expiry holds places presence readiness tickets
-- ARGV min_age_seconds known_until limit
-- An entry is listed if its last change is at least `min_age_seconds` old, or if that change was made no later than the
-- logical timestamp `known_until`.
-- RETURNS expired stamp is_all max_attempts places
-- EACH places entry_id seen_stamp state rank ticket attempts token time_millis decisions stamp
-- EACH decisions verb token stamp rank ticket attempts at basis_stamp placed_stamp until_millis declines
local ABSENT = {state = 'absent', token = '', rank = 0, ticket = 0, attempts = 0, stamp = 0}

local is_all = end_expired(keys, tonumber(meta_max_attempts), now)
is_all = end_expired_reasons(keys, now) and is_all
if not meta_presence_seconds and tonumber(meta_away or 0) > 0 then is_all = end_absences(keys) and is_all end

local places = {}
local stamp = next_stamp(keys, now)
local until_stamp = math.max(stamp - tonumber(min_age_seconds) * TICKETS_PER_SECOND,
  tonumber(known_until))
local dirty = redis.call('ZRANGEBYSCORE', keys.dirty, '-inf', until_stamp,
  'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #dirty, 2 do
  local entry_id, seen_stamp = dirty[i], tonumber(dirty[i + 1])
  local place = place_of(keys, entry_id) or ABSENT
  places[#places + 1] = {entry_id, seen_stamp, place.state, place.rank, place.ticket,
    place.attempts, place.token, time_of(keys, entry_id), decisions_of(keys, entry_id), place.stamp}
end
return {'expired', stamp, is_all, tonumber(meta_max_attempts), places}
