-- mark: says that the record of an entry is about to change, so that maintenance will look.
-- USES home state clock ticket draw aside
-- KEYS meta queue held parked unsettled
-- ARGV entry_id now here
-- RETURNS marked stamp | absent stamp
-- RETURNS cold | rebuilding

local state = state_here(keys, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local stamp = draw(keys, now)
if not (redis.call('ZSCORE', keys.queue, entry_id) or redis.call('ZSCORE', keys.held, entry_id) or
  redis.call('ZSCORE', keys.parked, entry_id)) then
  return {'absent', stamp}
end
unsettle(keys, entry_id, stamp)
return {'marked', stamp}
