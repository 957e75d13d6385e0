-- NEEDS off_queue

-- Returns the claim with this token, or nil and an error code. If the token has already admitted the customer, the
-- second value is `completed`.
local function check_token(keys, entry_id, token, now)
  local hold = read_hold(keys, entry_id)
  if not hold or hold.state == 'parked' then return nil, 'not_held' end
  if hold.token ~= token then return nil, 'claim_mismatch' end
  if hold.state == 'done' then return hold, 'completed' end
  local deadline = tonumber(redis.call('ZSCORE', keys.held, entry_id))
  if deadline <= math.floor(now / 1000) then return nil, 'claim_expired' end
  return hold
end
