-- Returns the hold of the open offer to an entry, or nil and the code of the refusal. If the customer has been admitted
-- already, returns the hold and `completed`. If a ticket or a deadline is given, the offer must be to the stay with
-- this ticket, or must end at this deadline.
local function check_offer(keys, entry_id, ticket, offered_until_millis, now)
  local hold = read_hold(keys, entry_id)
  if not hold then return nil, 'not_offered' end
  if ticket ~= '' and hold.ticket ~= tonumber(ticket) then return nil, 'not_offered' end
  if hold.state == 'done' then return hold, 'completed' end
  if hold.state ~= 'offered' then return nil, 'not_offered' end
  local deadline = tonumber(redis.call('ZSCORE', keys.held, entry_id))
  -- A late message may find the next offer to the same stay.
  if offered_until_millis ~= '' and deadline ~= tonumber(offered_until_millis) then
    return nil, 'not_offered'
  end
  if deadline <= math.floor(micros(now) / 1000) then return nil, 'offer_expired' end
  return hold, nil, deadline
end
