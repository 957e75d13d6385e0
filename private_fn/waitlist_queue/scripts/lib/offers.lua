-- NEEDS admission decisions holds policy pop presence replay

local TOKEN_LENGTH = 40

-- Makes an offer to each of the given entries. If the policy is automatic, admits the customers at once instead.
--
-- Returns the rows of the reply, and one text for each entry. The texts are stored, so that the reply to a repeated
-- request can contain the same entries.
local function offer(keys, popped, policy, tokens, stamp, paid, now)
  local is_automatic, entries, taken = policy.acceptance == 'automatic', {}, {}
  local millis = math.floor(now / 1000)
  local by_policy, by_quota =
    policy.offer_until or offer_end(policy, millis, policy.offer_seconds), offer_end(policy, millis, policy.quota_offer_seconds)
  local inside_until = pass_end(policy.pass_seconds, now)
  for number, entry in ipairs(popped) do
    local entry_id, token = entry.entry_id, string.sub(tokens, (number - 1) * TOKEN_LENGTH + 1, number * TOKEN_LENGTH)
    local payment = paid(number)
    local deadline = string.find(payment, '^q') and by_quota or by_policy
    local hold = start_hold(keys, entry_id, entry.rank, 'offered', token, deadline, stamp, payment)
    entries[number] = claim_row(keys, entry_id, hold, is_automatic and inside_until or deadline, entry.filter_index)
    taken[number] = once_text(entry_id, token, entry.filter_index)
    if is_automatic then
      admit(keys, entry_id, hold, stamp, inside_until)
    else
      decide(keys, entry_id, 'offered', hold, token, deadline)
    end
  end
  if is_automatic and #entries > 0 then redis.call('HINCRBY', keys.meta, 'admitted', #entries) end
  return entries, taken, is_automatic
end

-- If the policy may admit a customer now, makes an offer to the first entry of the queue. Returns the rows of the
-- reply, and whether the customer was admitted at once.
local function offer_next(keys, tokens, stamp, hours, now)
  local policy = read_policy(keys, now)
  read_hours(policy, hours, math.floor(now / 1000))
  local is_due = slots_due(policy, room_of(keys, policy, now), now) > 0
  local popped = is_due and pop_present(keys, EVERYONE, 1, policy.presence_seconds, now) or {}
  take_due(keys, policy, #popped, now)
  local function paid(number) return paid_by(policy, number) end
  local entries, _, is_automatic = offer(keys, popped, policy, tokens, stamp, paid, now)
  return entries, is_automatic
end
