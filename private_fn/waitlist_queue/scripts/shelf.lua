-- shelf: reads those held (by deadline) or parked (by time), a page at a time.
-- USES home state text aside
-- KEYS meta held parked claims
-- ARGV which after_time after_id limit here
-- RETURNS shelf total entries
-- RETURNS cold | rebuilding

local state = state_here(keys, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local listed = which == 'parked' and keys.parked or keys.held
local first = 0
if after_id ~= '' then
  -- Many may have the same time: go on behind the last one seen, or with its time if it has gone
  -- or has another time by now.
  local time = tonumber(redis.call('ZSCORE', listed, after_id))
  if time == tonumber(after_time) then
    first = redis.call('ZRANK', listed, after_id) + 1
  else
    first = redis.call('ZCOUNT', listed, '-inf', '(' .. after_time)
  end
end
local found = redis.call('ZRANGE', listed, first, first + limit - 1, 'WITHSCORES')
-- id, time, rank, ticket, attempts, id, …
local entries = {}
for i = 1, #found, 2 do
  local note = note_of(keys, found[i])
  for _, value in ipairs({found[i], found[i + 1], text(note.rank), text(note.ticket),
    text(note.attempts)}) do
    entries[#entries + 1] = value
  end
end
return {'shelf', redis.call('ZCARD', listed), entries}
