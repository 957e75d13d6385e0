-- NEEDS holds tickets

-- A waitlist's admissions end at the time `until_millis`. From then on, the waitlist makes no offers, and all earlier
-- offers have ended.
local HOLDS_AT_ONCE = 500

-- Shortens the open offers that would end after `until_millis`, so that they end at this time. Claims keep their
-- deadlines. Maintenance then writes the offers' new deadlines to the records.
local function end_offers_by(keys, until_millis, now)
  local first, stamp = 0, nil
  repeat
    local held = redis.call('ZRANGEBYSCORE', keys.held, '(' .. until_millis, '+inf', 'LIMIT', first, HOLDS_AT_ONCE)
    for _, entry_id in ipairs(held) do
      local hold = read_hold(keys, entry_id)
      if hold.state == 'offered' then
        stamp = stamp or next_stamp(keys, now)
        hold.stamp = stamp
        hold_until(keys, entry_id, hold.state, until_millis)
        write_hold(keys, entry_id, hold)
        mark_dirty(keys, entry_id, stamp)
      else
        first = first + 1
      end
    end
  until #held < HOLDS_AT_ONCE
end
