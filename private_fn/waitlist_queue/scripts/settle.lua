-- settle: forgets that a record may be behind, unless its entry has changed again since.
-- USES home state clock ticket draw aside tombstone
-- KEYS meta claims unsettled decided gone
-- ARGV entry_id seen_stamp join_id now here
-- RETURNS settled | changed | cold
local meta_key = KEYS[1]
local claims_key = KEYS[2]
local unsettled_key = KEYS[3]
local decided_key = KEYS[4]
local gone_key = KEYS[5]
local entry_id = ARGV[1]
local seen_stamp = ARGV[2]
local join_id = ARGV[3]
local now = ARGV[4]
local here = ARGV[5]

if not state_here(meta_key, here) then return {'cold'} end
local since = redis.call('ZSCORE', unsettled_key, entry_id)
if since and tonumber(since) ~= tonumber(seen_stamp) then return {'changed'} end
redis.call('ZREM', unsettled_key, entry_id)
redis.call('HDEL', decided_key, entry_id)
local note = note_of(claims_key, entry_id)
if note and note.state == 'done' then
  -- Admitted in the record too: a late restore must not bring the person back into line.
  redis.call('HDEL', claims_key, entry_id)
  if join_id ~= '' then bury(gone_key, entry_id, join_id, draw(meta_key, now)) end
end
return {'settled'}
