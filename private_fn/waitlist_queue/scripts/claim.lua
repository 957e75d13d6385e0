-- claim: Claims one given entry, or up to `count` entries from the front or back of the queue or of a segment, for a
-- limited time.
-- PRELUDE clock cold rebuilding filters claimed tags not_ready
-- NEEDS certain claim_limit expiry holds pop readiness replay tickets
-- ARGV entry_id ticket count lease_seconds order filters segments_version tokens once_key once_seconds once_body
-- If the `max_claims` setting allowed fewer claims than requested, `limit` is the text `max_claims`.
-- RETURNS claimed|repeat stamp entries limit
-- EACH entries entry_id token deadline_millis attempts rank ticket expired_stamp no_show_stamp ended_millis stamp basis_stamp placed_stamp filter_index
-- RETURNS waitlist_paused|expiring|idempotency_key_reused|not_waiting|entry_not_ready|claims_full
local TOKEN_LENGTH = 40

if meta_paused == '1' then return {'waitlist_paused'} end
local is_all, drawn = end_expired(keys, tonumber(meta_max_attempts), now)
if not (is_all and end_expired_reasons(keys, now)) then return {'expiring'} end

local stamp = next_stamp(keys, now, drawn or meta_last_ticket)
local claimed_before = once_key ~= '' and redis.call('GET', keys.once)
if claimed_before then
  if string.match(claimed_before, '^%x*') ~= once_body then return {'idempotency_key_reused'} end
  local limit = string.match(claimed_before, '[| ](max_claims)$')
  return {'repeat', stamp, replay(keys, claimed_before, keys.held), limit or false}
end

if lease_seconds == '' then lease_seconds = meta_lease_seconds end
local deadline = math.floor(now / 1000) + tonumber(lease_seconds) * 1000
local most = tonumber(count)
if meta_max_claims then most = within_limit(keys, meta_max_claims, meta_claims_indexed, most, now) end
local popped = {}
if entry_id ~= '' then
  local rank, refusal = check_certain(keys, entry_id, ticket)
  if not rank then return {refusal} end
  if most == 0 then return {'claims_full'} end
  popped = {take_certain(keys, entry_id, rank)}
elseif most > 0 then
  popped = pop_preferred(keys, filters, order == 'newest', most)
end
local limit = most < tonumber(count) and #popped == most and 'max_claims'
local entries, taken = {}, {}
for i, entry in ipairs(popped) do
  local token = string.sub(tokens, (i - 1) * TOKEN_LENGTH + 1, i * TOKEN_LENGTH)
  local hold = start_hold(keys, entry.entry_id, entry.rank, 'held', token, deadline, stamp)
  entries[i] = claim_row(keys, entry.entry_id, hold, deadline, entry.filter_index)
  if once_key ~= '' then taken[i] = once_text(entry.entry_id, token, entry.filter_index) end
end
if once_key ~= '' then
  if limit then taken[#taken + 1] = limit end
  redis.call('SET', keys.once, once_body .. '|' .. table.concat(taken, ' '), 'EX', once_seconds)
end
return {'claimed', stamp, entries, limit}
