-- Admits a customer: ends the hold for good, and counts one whose hold is an offer as entered. The customer is inside for `pass_seconds`, if that is not 0. Returns
-- the millisecond at which the pass ends, or 0.
local function admit(keys, entry_id, hold, stamp, pass_seconds, now)
  use_up(keys, hold)
  if hold.state == 'offered' then
    redis.call('HINCRBY', keys.meta, 'entered', 1)
    hold.paid = hold.paid .. 'e'
    write_payment(keys, entry_id, hold)
  end
  hold.state, hold.stamp = 'done', stamp
  write_hold(keys, entry_id, hold)
  redis.call('ZREM', keys.held, entry_id)
  if keys.tags then redis.call('HDEL', keys.tags, entry_id) end
  mark_dirty(keys, entry_id, stamp)
  if (tonumber(pass_seconds) or 0) == 0 then return 0 end
  local inside_until = math.floor(now / 1000) + pass_seconds * 1000
  put_inside(keys, entry_id, hold.ticket, inside_until)
  return inside_until
end
