-- renew: Starts the pass of an admitted customer again, because the admission was recorded late. If the first pass has
-- already ended, the waitlist must have room for the customer. A customer who was admitted through an operator's claim
-- does not need room. If there is no room, the next place that becomes free is reserved for the customer. A later
-- message then uses the reserved place.
-- USES owner clock wake off_queue inside due
-- KEYS meta held claims dirty inside visits
-- ARGV entry_id ticket is_claim now server_run_id
-- META state owner
-- RETURNS renewed inside_until_millis | absent
-- RETURNS cold | inside_full
now = micros(now) -- read the clock only once for the whole script
local state = owned_state(meta_state, meta_owner, server_run_id)
if not state then return {'cold'} end
local hold = read_hold(keys, entry_id)
if not hold or hold.state ~= 'done' or hold.ticket ~= tonumber(ticket) then return {'absent'} end
local policy = read_policy(keys, now)
if (tonumber(policy.pass_seconds) or 0) == 0 then return {'renewed', 0} end

local present = visit_of(keys, entry_id) == hold.ticket and redis.call('ZSCORE', keys.inside, entry_id)
local present_until = tonumber(present or KEPT)
-- If the customer left during a rebuild, the message is late. The record already says that the customer was admitted
-- and has left.
if present_until == LEFT_DURING_REBUILD then return {'absent'} end
-- As long as the set `inside` contains the customer, no other customer has taken the place. This is true even after the
-- end of the pass.
if present_until == KEPT and is_claim ~= '1' then
  -- During a rebuild the number of customers inside is unknown.
  if state == 'hydrating' or room_of(keys, policy, now, true) == 0 then
    put_inside(keys, entry_id, hold.ticket, KEPT)
    return {'inside_full'}
  end
end
local inside_until = math.max(math.floor(now / 1000) + policy.pass_seconds * 1000, present_until)
put_inside(keys, entry_id, hold.ticket, inside_until)
return {'renewed', inside_until}
