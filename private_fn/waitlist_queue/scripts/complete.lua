-- complete: Admits the customers of claimed entries. If the same claim token is sent again, nothing changes.
-- USES owner clock ticket wake off_queue check_token paid inside admission
-- KEYS meta held claimed claims dirty tags inside visits
-- ARGV holds now server_run_id
-- META state owner last_ticket admitted segments_version pass_seconds max_claims
-- `holds` has a pair "entry_id:token" for each claimed entry, separated by spaces. The script returns one reply for
-- each pair.
-- RETURNS completed stamp rank ticket attempts done_stamp inside_until_millis basis_stamp placed_stamp
-- RETURNS repeat stamp rank ticket attempts done_stamp inside_until_millis basis_stamp placed_stamp
-- RETURNS cold | not_held | claim_mismatch | claim_expired
now = micros(now) -- read the clock only once for the whole script
local state = owned_state(meta_state, meta_owner, server_run_id)
if not meta_max_claims then keys.claimed = nil end -- claims are counted only on a waitlist with a claim limit
local last_ticket, admitted = meta_last_ticket, meta_admitted
if meta_segments_version == '0' then keys.tags = nil end -- entries have no tags on a waitlist without segments

local function complete(entry_id, token)
  if not state then return {'cold'} end
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
