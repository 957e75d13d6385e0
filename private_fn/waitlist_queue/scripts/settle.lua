-- settle: forgets that a record may be behind, unless its entry has changed again since.
-- USES home state clock ticket draw aside tombstone
-- KEYS meta claims unsettled decided gone
-- ARGV entry_id seen_stamp join_id now here
-- RETURNS settled | changed | cold

if not state_here(keys, here) then return {'cold'} end
local since = redis.call('ZSCORE', keys.unsettled, entry_id)
if since and tonumber(since) ~= tonumber(seen_stamp) then return {'changed'} end
redis.call('ZREM', keys.unsettled, entry_id)
redis.call('HDEL', keys.decided, entry_id)
local note = note_of(keys, entry_id)
if note and note.state == 'done' then
  -- Admitted in the record too: a late restore must not bring the person back into line.
  redis.call('HDEL', keys.claims, entry_id)
  if join_id ~= '' then bury(keys, entry_id, join_id, draw(keys, now)) end
end
return {'settled'}
