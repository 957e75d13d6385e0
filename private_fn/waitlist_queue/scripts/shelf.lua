-- shelf: reads those held (by deadline) or parked (by time), a page at a time.
-- USES home state text aside
-- KEYS meta held parked claims
-- ARGV which after_time after_id limit here
-- RETURNS shelf total entries
-- RETURNS cold | rebuilding
local meta_key = KEYS[1]
local held_key = KEYS[2]
local parked_key = KEYS[3]
local claims_key = KEYS[4]
local which = ARGV[1]
local after_time = ARGV[2]
local after_id = ARGV[3]
local limit = ARGV[4]
local here = ARGV[5]

local state = state_here(meta_key, here)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local shelf_key = which == 'parked' and parked_key or held_key
local first = 0
if after_id ~= '' then
  -- Many may have the same time: go on behind the last one seen, or with its time if it has gone
  -- or has another time by now.
  local time = tonumber(redis.call('ZSCORE', shelf_key, after_id))
  if time == tonumber(after_time) then
    first = redis.call('ZRANK', shelf_key, after_id) + 1
  else
    first = redis.call('ZCOUNT', shelf_key, '-inf', '(' .. after_time)
  end
end
local found = redis.call('ZRANGE', shelf_key, first, first + limit - 1, 'WITHSCORES')
-- id, time, rank, ticket, attempts, id, …
local entries = {}
for i = 1, #found, 2 do
  local note = note_of(claims_key, found[i])
  for _, value in ipairs({found[i], found[i + 1], text(note.rank), text(note.ticket),
    text(note.attempts)}) do
    entries[#entries + 1] = value
  end
end
return {'shelf', redis.call('ZCARD', shelf_key), entries}
