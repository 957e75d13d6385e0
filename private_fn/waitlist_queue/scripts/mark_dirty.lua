-- mark_dirty: Marks an entry before its record is changed, so that maintenance soon compares the entry with its
-- record.
-- PRELUDE clock cold rebuilding not_ready
-- NEEDS holds tickets waiting
-- ARGV entry_id known_stamp
-- RETURNS marked|absent stamp
local stamp = next_stamp(keys, now, nil, known_stamp)
if not (waiting_rank(keys, entry_id) or redis.call('ZSCORE', keys.held, entry_id) or
  redis.call('ZSCORE', keys.parked, entry_id)) then
  return {'absent', stamp}
end
mark_dirty(keys, entry_id, stamp)
return {'marked', stamp}
