-- exit: Ends the visit of a customer who is inside through the stay with this ticket, so that the next customer can
-- enter.
-- USES owner inside wake
-- KEYS meta inside visits
-- ARGV entry_id ticket server_run_id
-- META state owner
-- RETURNS exited | absent | cold
local state = owned_state(meta_state, meta_owner, server_run_id)
if not state then return {'cold'} end
local visit = visit_of(keys, entry_id)
-- The message is late: the customer is now inside through another stay.
if ticket ~= '' and visit and visit ~= tonumber(ticket) then return {'absent'} end
if state == 'hydrating' then
  -- The rebuild may have read the record before the exit. It must not put the customer inside again.
  put_inside(keys, entry_id, ticket, LEFT_DURING_REBUILD)
  return {'exited'}
end
if not take_outside(keys, entry_id) then return {'absent'} end
wake(keys)
return {'exited'}
