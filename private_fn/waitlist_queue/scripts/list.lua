-- list: reads one page of the waiting entries by rank, or of the held or parked ones by time.
-- USES owner ticket off_queue
-- KEYS meta queue held parked claims tickets_of_moved
-- ARGV which after after_id first limit server_run_id
-- META state home
-- The page begins after a rank or time, or at the position `first`.
-- RETURNS listed total entries next_rank
-- EACH entries entry_id position rank ticket attempts time_millis
-- RETURNS cold | rebuilding
local state = owned_state(meta_state, meta_home, server_run_id)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
local listed = ({waiting = keys.queue, held = keys.held, parked = keys.parked})[which]
local total = redis.call('ZCARD', listed)
local index = 0
if first ~= '' then
  index = first - 1
elseif which == 'waiting' then
  if after ~= '' then index = redis.call('ZCOUNT', listed, '-inf', after) end
elseif after_id ~= '' then
  -- Many entries may have the same time: continue after the last one seen, or at its time if it is gone or has
  -- another time now.
  if tonumber(redis.call('ZSCORE', listed, after_id)) == tonumber(after) then
    index = redis.call('ZRANK', listed, after_id) + 1
  else
    index = redis.call('ZCOUNT', listed, '-inf', '(' .. after)
  end
end
local found = redis.call('ZRANGE', listed, index, index + limit - 1, 'WITHSCORES')
local ids, entries = {}, {}
for i = 1, #found, 2 do ids[#ids + 1] = found[i] end
local tickets = which == 'waiting' and #ids > 0 and redis.call('HMGET', keys.tickets_of_moved, unpack(ids))
for i, entry_id in ipairs(ids) do
  local score = tonumber(found[2 * i])
  if tickets then
    entries[i] = {entry_id, index + i, score, tonumber(tickets[i] or score % TIER), 0, 0}
  else
    local hold = read_hold(keys, entry_id)
    entries[i] = {entry_id, index + i, hold.rank, hold.ticket, hold.attempts, score}
  end
end
local is_more = #ids > 0 and index + #ids < total
return {'listed', total, entries, is_more and tonumber(found[#found]) or false}
