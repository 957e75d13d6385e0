-- exit: Records that a customer is no longer inside, so that another customer can be admitted.
-- PRELUDE cold
-- NEEDS inside policy
-- ARGV entry_id ticket
-- RETURNS exited|absent
local visit = visit_of(keys, entry_id)
-- If the customer has been admitted again since this message was sent, the new admission has a different ticket, and
-- this message must not end it.
if ticket ~= '' and visit and visit ~= tonumber(ticket) then return {'absent'} end
if meta_state == 'hydrating' then
  -- The rebuild may have read the record before the customer left. The mark prevents the rebuild from counting the
  -- customer as inside again.
  put_inside(keys, entry_id, ticket, LEFT_DURING_REBUILD)
  return {'exited'}
end
if not take_outside(keys, entry_id) then return {'absent'} end
wake(keys)
return {'exited'}
