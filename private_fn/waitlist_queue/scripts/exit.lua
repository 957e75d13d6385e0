-- exit: a customer who was inside is so no longer; the place is free for the next.
-- USES owner state wake
-- KEYS meta inside
-- ARGV entry_id server_run_id
-- RETURNS exited | absent | cold
local LONG_AGO = 1 -- of a pass that has ended

local state = read_state(keys, server_run_id)
if not state then return {'cold'} end
if state == 'hydrating' then
  -- The rebuild may have read the record before the exit, and must not put the customer back inside.
  redis.call('ZADD', keys.inside, LONG_AGO, entry_id)
  return {'exited'}
end
if redis.call('ZREM', keys.inside, entry_id) == 0 then return {'absent'} end
wake(keys)
return {'exited'}
