-- redrive: brings a parked entry back to its old place, or to the end, with no attempts.
-- worn_out_stamp is that of a parking after too many attempts, 0 of one by a claimer.
-- USES home state clock ticket draw segments tags put gap aside back decide decided
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags
-- ARGV entry_id to now here
-- RETURNS redriven stamp rank ticket position total worn_out_stamp
-- RETURNS repeat stamp rank ticket position total worn_out_stamp
-- RETURNS cold | rebuilding | not_parked

local state = state_here(keys, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local note = note_of(keys, entry_id)
local outcome = 'redriven'
if note and note.state == 'parked' then
  note.stamp, note.attempts = draw(keys, now), 0
  local wanted = to == 'back' and 255 * TIER + note.stamp or note.rank
  note.rank = return_to_line(keys, entry_id, note, wanted)
  decide(keys, entry_id, 'redriven', note, '', 0)
else
  -- What has come since, a claim say, does not undo it; a later stay has another ticket.
  local rank = tonumber(redis.call('ZSCORE', keys.queue, entry_id))
  local ticket = rank and ticket_of(keys, entry_id, rank) or note and note.ticket
  outcome, note = 'repeat', made_by(keys, entry_id, 'redriven', '')
  if not note or (ticket and ticket ~= note.ticket) then return {'not_parked'} end
end
local worn_out = last_end(keys, entry_id, 'worn_out', note.stamp)
local index = redis.call('ZRANK', keys.queue, entry_id)
return {outcome, note.stamp, note.rank, note.ticket, index and index + 1 or -1,
  redis.call('ZCARD', keys.queue), worn_out and worn_out.stamp or 0}
