-- inspect: Reads an entry's state in Redis, so that maintenance can compare it with the entry's record.
-- PRELUDE cold rebuilding not_ready
-- NEEDS holds places reasons
-- ARGV entry_id
-- RETURNS inspected state rank token time_millis stamp dirty_stamp attributes_version ticket readiness_version
local dirty = tonumber(redis.call('ZSCORE', keys.dirty, entry_id) or 0)
local tags = redis.call('HGET', keys.tags, entry_id)
local version = tags and tonumber(string.match(tags, '%d+$'))
local readiness = keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
local readiness_version = readiness and tonumber(string.match(readiness, '^%d+')) or false
local place = place_of(keys, entry_id) or {state = 'absent', token = '', rank = 0, ticket = false, stamp = 0}
local millis = place.state == 'waiting' and delay_of(readiness or '') or time_of(keys, entry_id)
return {'inspected', place.state, place.rank, place.token, millis, place.stamp, dirty, version or false,
  place.ticket, readiness_version}
