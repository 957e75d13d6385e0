-- release: ends a hold, back to the old place or to the end of the line; a repeat changes nothing.
-- USES home clock ticket draw segments tags put gap aside back decide decided proof
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags
-- ARGV entry_id token to now here
-- RETURNS released stamp rank ticket attempts position total
-- RETURNS repeat stamp rank ticket attempts position total
-- RETURNS cold | rebuilding | not_held | claim_mismatch | claim_expired

local meta = redis.call('HMGET', keys.meta, 'state', 'home', 'mending')
if not at_home(meta[1], meta[2], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[3] == '1' then return {'rebuilding'} end
local note, refusal = check_hold(keys, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
local outcome = 'released'
if note then
  note.stamp = draw(keys, now)
  local wanted = to == 'back' and 255 * TIER + note.stamp or note.rank
  note.rank = return_to_line(keys, entry_id, note, wanted)
  decide(keys, entry_id, 'released', note, token, 0)
else
  -- What has come since, another claim say, does not undo it.
  outcome, note = 'repeat', made_by(keys, entry_id, 'released', token)
  if not note then return {refusal} end
end
-- While the order is rebuilt nobody knows how many stand ahead.
local index = meta[1] == 'warm' and redis.call('ZRANK', keys.queue, entry_id)
if not index then return {outcome, note.stamp, note.rank, note.ticket, note.attempts, -1, -1} end
return {outcome, note.stamp, note.rank, note.ticket, note.attempts, index + 1,
  redis.call('ZCARD', keys.queue)}
