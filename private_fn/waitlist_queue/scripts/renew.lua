-- renew: Starts the time inside of an admission again, because its record was written late. A customer whose time
-- inside has ended already needs room again, unless the admission came from an operator's claim. If there is no room,
-- the next place that becomes free is kept for the customer, and a later message uses it.
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
-- The message is late: the record already has the admission and the end of the visit.
if present_until == LEFT_DURING_REBUILD then return {'absent'} end
-- While the customer is in the set `inside`, even after the end of the pass, nobody else has taken the place.
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
