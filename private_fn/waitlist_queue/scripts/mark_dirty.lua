-- mark_dirty: Marks an entry whose record is about to change, so that maintenance compares Redis with the record.
-- USES owner waiting clock ticket next_stamp wake off_queue
-- KEYS meta queue not_ready held parked dirty
-- ARGV entry_id known_stamp now server_run_id
-- META state owner not_ready
-- RETURNS marked stamp | absent stamp
-- RETURNS cold | rebuilding
local state = owned_state(meta_state, meta_owner, server_run_id)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local stamp = next_stamp(keys, now, nil, known_stamp)
if not meta_not_ready then keys.not_ready = nil end -- every entry on the waitlist has always been ready
if not (waiting_rank(keys, entry_id) or redis.call('ZSCORE', keys.held, entry_id) or
  redis.call('ZSCORE', keys.parked, entry_id)) then
  return {'absent', stamp}
end
mark_dirty(keys, entry_id, stamp)
return {'marked', stamp}
