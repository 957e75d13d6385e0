-- mark: says that the record of an entry is about to change, so that maintenance will look.
-- USES home state clock ticket draw aside
-- KEYS meta queue held parked unsettled
-- ARGV entry_id now here
-- RETURNS marked stamp | absent stamp
-- RETURNS cold | rebuilding
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local parked_key = KEYS[4]
local unsettled_key = KEYS[5]
local entry_id = ARGV[1]
local now = ARGV[2]
local here = ARGV[3]

local state = state_here(meta_key, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local stamp = draw(meta_key, now)
if not (redis.call('ZSCORE', queue_key, entry_id) or redis.call('ZSCORE', held_key, entry_id) or
  redis.call('ZSCORE', parked_key, entry_id)) then
  return {'absent', stamp}
end
unsettle(unsettled_key, entry_id, stamp)
return {'marked', stamp}
