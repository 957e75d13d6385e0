-- complete: Admits the customers of claimed entries. Sending the same claim token again changes nothing.
--
-- PRELUDE clock owner claimed tags
-- NEEDS admission holds tickets
-- ARGV holds
-- PER_RUN 50
--
-- `holds` names each claimed entry in the form "entry_id:token", separated by spaces. The script returns one reply for
-- each claimed entry.
-- RETURNS completed|repeat stamp rank ticket attempts done_stamp inside_until_millis basis_stamp placed_stamp
-- RETURNS cold|not_held|claim_mismatch|claim_expired
local last_ticket, admitted = meta_last_ticket, meta_admitted

local function complete(entry_id, token)
  if not meta_state then return {'cold'} end
  local hold, refusal = check_token(keys, entry_id, token, now)
  if not hold then return {refusal} end
  last_ticket = ticket_after(last_ticket, now)
  local outcome, inside_until = 'repeat', nil
  if refusal == 'completed' then
    inside_until = tonumber(redis.call('ZSCORE', keys.inside, entry_id) or 0)
  else
    outcome, admitted, inside_until = 'completed', admitted + 1, pass_end(meta_pass_seconds, now)
    admit(keys, entry_id, hold, last_ticket, inside_until)
  end
  return {outcome, last_ticket, hold.rank, hold.ticket, hold.attempts, hold.stamp, inside_until,
    outcome == 'completed' and hold.basis, outcome == 'completed' and 0}
end

local replies = {}
for entry_id, token in string.gmatch(holds, '(%w+):(%w+)') do
  replies[#replies + 1] = complete(entry_id, token)
end
if last_ticket ~= meta_last_ticket then
  redis.call('HSET', keys.meta, 'last_ticket', last_ticket, 'admitted', admitted)
end
return replies
