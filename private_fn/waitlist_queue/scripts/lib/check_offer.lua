-- NEEDS off_queue

-- Returns the open offer of an entry, or nil and an error code. If the customer has already been admitted, the second
-- value is `completed`.
local function check_offer(keys, entry_id, ticket, offered_until_millis, now)
  local hold = read_hold(keys, entry_id)
  if not hold then return nil, 'not_offered' end
  if ticket ~= '' and hold.ticket ~= tonumber(ticket) then return nil, 'not_offered' end
  if hold.state == 'done' then return hold, 'completed' end
  if hold.state ~= 'offered' then return nil, 'not_offered' end
  local deadline = tonumber(redis.call('ZSCORE', keys.held, entry_id))
  -- If the message is late, the entry may have a newer offer with a different deadline.
  if offered_until_millis ~= '' and deadline ~= tonumber(offered_until_millis) then
    return nil, 'not_offered'
  end
  if deadline <= math.floor(now / 1000) then return nil, 'offer_expired' end
  return hold, nil, deadline
end
