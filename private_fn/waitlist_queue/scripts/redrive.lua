-- redrive: brings a parked entry back to its old place, or to the end, with no attempts.
-- worn_out_stamp is that of a parking after too many attempts, 0 of one by a claimer.
-- USES home state clock ticket draw segments tags put gap aside back decide decided
-- KEYS meta queue held claims parked tries moved unsettled decided segments tags
-- ARGV entry_id to now here
-- RETURNS redriven stamp rank ticket position total worn_out_stamp
-- RETURNS repeat stamp rank ticket position total worn_out_stamp
-- RETURNS cold | rebuilding | not_parked
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local held_key = KEYS[3]
local claims_key = KEYS[4]
local parked_key = KEYS[5]
local tries_key = KEYS[6]
local moved_key = KEYS[7]
local unsettled_key = KEYS[8]
local decided_key = KEYS[9]
local segments_key = KEYS[10]
local tags_key = KEYS[11]
local entry_id = ARGV[1]
local to = ARGV[2]
local now = ARGV[3]
local here = ARGV[4]

local state = state_here(meta_key, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local keys = {queue = queue_key, held = held_key, claims = claims_key, parked = parked_key,
  tries = tries_key, moved = moved_key, unsettled = unsettled_key, decided = decided_key,
  segments = segments_key, tags = tags_key}
local note = note_of(claims_key, entry_id)
local outcome = 'redriven'
if note and note.state == 'parked' then
  note.stamp, note.attempts = draw(meta_key, now), 0
  local wanted = to == 'back' and 255 * TIER + note.stamp or note.rank
  note.rank = return_to_line(keys, entry_id, note, wanted)
  decide(keys, entry_id, 'redriven', note, '', 0)
else
  -- What has come since, a claim say, does not undo it; a later stay has another ticket.
  local rank = tonumber(redis.call('ZSCORE', queue_key, entry_id))
  local ticket = rank and ticket_of(moved_key, entry_id, rank) or note and note.ticket
  outcome, note = 'repeat', made_by(decided_key, entry_id, 'redriven', '')
  if not note or (ticket and ticket ~= note.ticket) then return {'not_parked'} end
end
local worn_out = last_end(decided_key, entry_id, 'worn_out', note.stamp)
local index = redis.call('ZRANK', queue_key, entry_id)
return {outcome, note.stamp, note.rank, note.ticket, index and index + 1 or -1,
  redis.call('ZCARD', queue_key), worn_out and worn_out.stamp or 0}
