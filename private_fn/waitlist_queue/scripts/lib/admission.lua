-- NEEDS holds inside slots

-- Returns the time, in milliseconds, when a pass that begins now will end. Returns 0 if the waitlist issues no passes.
local function pass_end(pass_seconds, now)
  pass_seconds = tonumber(pass_seconds) or 0
  return pass_seconds > 0 and math.floor(now / 1000) + pass_seconds * 1000 or 0
end

-- Admits a customer, and ends the customer's claim or offer. The customer counts as inside until the time
-- `inside_until`, or not at all if this time is 0.
local function admit(keys, entry_id, hold, stamp, inside_until)
  use_up(keys, hold)
  if hold.state == 'offered' then
    redis.call('HINCRBY', keys.meta, 'entered', 1)
    hold.paid = hold.paid .. 'e'
    write_payment(keys, entry_id, hold)
  end
  hold.state, hold.stamp = 'done', stamp
  write_hold(keys, entry_id, hold)
  no_longer_held(keys, entry_id, inside_until > 0)
  if keys.tags then redis.call('HDEL', keys.tags, entry_id) end
  mark_dirty(keys, entry_id, stamp)
  if inside_until > 0 then put_inside(keys, entry_id, hold.ticket, inside_until) end
end
