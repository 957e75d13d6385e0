-- NEEDS decisions segments tickets waiting

-- The tokens of an invitation's offers all begin with the same INVITATION_LENGTH characters, which identify the
-- invitation.
local INVITATION_LENGTH = 24

-- Takes up to `most` invited entries from the queue. An entry is left out if it is not ready, if its customer has
-- signed up again since the message was sent, or if a decision about an earlier offer of the same invitation is
-- pending.
local function take_invitees(keys, invitees, tokens, most)
  local taken, invitation = {}, string.sub(tokens, 1, INVITATION_LENGTH)
  local function is_of_invitation(decision)
    return string.sub(decision.token, 1, INVITATION_LENGTH) == invitation
  end
  for entry_id, ticket in string.gmatch(invitees, '(%w+):(%d+)') do
    if #taken >= most then break end
    local rank, is_ready = waiting_rank(keys, entry_id)
    if rank and is_ready and ticket_of(keys, entry_id, rank) == tonumber(ticket) and
      not find_decision(keys, entry_id, is_of_invitation) then
      redis.call('ZREM', keys.queue, entry_id)
      leave_segments(keys, entry_id, rank)
      taken[#taken + 1] = {entry_id = entry_id, rank = rank, filter_index = 0}
    end
  end
  return taken
end
