-- init: Creates a waitlist in Redis, gives it new settings, or ends the rebuild of its queue.
-- PRELUDE clock owner not_ready
-- NEEDS epoch holds over segments settings
-- ARGV mode epoch settings counters floor_ticket scheduled_until
-- `settings` and `counters` have the form "name=value", separated by spaces.
-- RETURNS created|exists|warmed state epoch epoch_start
-- RETURNS cold|expiring
local function setting(name) return string.match(' ' .. settings, ' ' .. name .. '=(%d+)') end
local segments_version, version = setting('segments_version'), tonumber(setting('version'))
local is_newer = version > tonumber(meta_settings_version or -1)
-- End expired offers before the settings change, because the settings at the time of expiry decide what happens to the
-- entries.
if meta_state == 'warm' and is_newer and has_expired_holds(keys, now) then return {'expiring'} end
local outcome = 'exists'
if not meta_state then
  if mode == 'configure' or mode == 'finish_rebuild' then return {'cold'} end
  outcome = 'created'
  -- If the `meta` hash is missing, the other keys of the waitlist may be incomplete. If a different Redis server owned
  -- the queue before, the newest writes may be missing on this server. Either way, all keys are deleted.
  redis.call('UNLINK', unpack(KEYS))
  keys.not_ready = nil
  begin_epoch(keys, mode == 'create' and 'warm' or 'hydrating', epoch,
    first_stamp_of_epoch(floor_ticket, now), counters, scheduled_until, now, server_run_id)
end
if not meta_state or is_newer then
  apply_settings(keys, settings, segments_version, meta_state and meta_segments_version, now)
  if meta_state and setting('schedule_version') ~= meta_schedule_version then begin_schedule(keys, setting('schedule_since')) end
else
  segments_version = meta_segments_version
end
local is_complete = mode == 'create' or mode == 'finish_rebuild'
if is_complete and meta_state == 'hydrating' and epoch == meta_epoch then
  outcome = 'warmed'
  redis.call('HSET', keys.meta, 'state', 'warm', 'segments_state',
    segment_state(keys, segments_version))
end
local new_state, new_epoch, epoch_start, until_millis = unpack(redis.call('HMGET', keys.meta, 'state', 'epoch',
  'epoch_start', 'until_millis'))
-- Do not shorten offers during a rebuild. A shortened offer gets a new logical timestamp, and would look newer than the
-- entry's record. The rebuild would then keep the offer even if the record contains a later change.
if until_millis and new_state == 'warm' and (is_newer or outcome == 'warmed') then
  end_offers_by(keys, until_millis, now)
end
return {outcome, new_state, new_epoch, tonumber(epoch_start)}
