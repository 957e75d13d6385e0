-- renew: Restarts the pass of a customer whose admission was recorded late, so that the pass lasts for its full
-- duration. If the pass has already ended and no place inside is free, the next free place is reserved for the
-- customer.
-- PRELUDE clock cold
-- NEEDS holds inside policy
-- ARGV entry_id ticket is_claim
-- RETURNS renewed inside_until_millis
-- RETURNS absent|inside_full
local hold = read_hold(keys, entry_id)
if not hold or hold.state ~= 'done' or hold.ticket ~= tonumber(ticket) then return {'absent'} end
local policy = read_policy(keys, now)
if (tonumber(policy.pass_seconds) or 0) == 0 then return {'renewed', 0} end

local present = visit_of(keys, entry_id) == hold.ticket and redis.call('ZSCORE', keys.inside, entry_id)
local present_until = tonumber(present or KEPT)
-- The customer left after this message was sent, while the queue was being rebuilt, so ignore the message.
if present_until == LEFT_DURING_REBUILD then return {'absent'} end
-- If the `inside` set still contains the customer's pass, the customer already has a place inside, even if the pass has
-- ended. Otherwise, a place must be free.
if present_until == KEPT and is_claim ~= '1' then
  -- During a rebuild the number of customers inside is unknown.
  if meta_state == 'hydrating' or room_of(keys, policy, now, true) == 0 then
    put_inside(keys, entry_id, hold.ticket, KEPT)
    return {'inside_full'}
  end
end
local inside_until = math.max(math.floor(now / 1000) + policy.pass_seconds * 1000, present_until)
put_inside(keys, entry_id, hold.ticket, inside_until)
return {'renewed', inside_until}
