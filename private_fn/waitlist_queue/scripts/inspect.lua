-- inspect: Reads the state of an entry in Redis, so that maintenance can compare it with the record of the entry.
-- PRELUDE cold rebuilding not_ready
-- NEEDS holds reasons tickets waiting
-- ARGV entry_id
-- RETURNS inspected state rank token time_millis stamp dirty_stamp attributes_version ticket readiness_version
local dirty = tonumber(redis.call('ZSCORE', keys.dirty, entry_id) or 0)
local tags = redis.call('HGET', keys.tags, entry_id)
local version = tags and tonumber(string.match(tags, '%d+$'))
local readiness = keys.not_ready and redis.call('HGET', keys.readiness, entry_id)
local readiness_version = readiness and tonumber(string.match(readiness, '^%d+')) or false
local rank = waiting_rank(keys, entry_id)
if rank then
  return {'inspected', 'waiting', rank, '', delay_of(readiness or ''), 0, dirty, version or false,
    ticket_of(keys, entry_id, rank), readiness_version}
end
local hold = read_hold(keys, entry_id)
if not hold then
  return {'inspected', 'absent', 0, '', time_of(keys, entry_id), 0, dirty, version or false,
    false, readiness_version}
end
return {'inspected', hold.state, hold.rank, hold.token, time_of(keys, entry_id), hold.stamp, dirty,
  version or false, hold.ticket, readiness_version}
