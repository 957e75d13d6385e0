-- board: returns positions of the queue at one moment, the same ones to every request of five seconds.
-- USES owner clock int_text
-- KEYS meta queue held parked board
-- ARGV now server_run_id
-- META state home hide_counts open capacity paused
-- `cuts` is JSON: pairs of a rank and its position, in order. The first 200 entries have one each; after them each
-- position is at most 1% above the one before it, up to the last entry.
-- RETURNS board as_of_millis total line cuts
-- RETURNS cold | rebuilding | counts_hidden
local LASTS, KEPT = 5000, 60 -- milliseconds, seconds
local EXACT, STEP = 200, 1.01

local state = owned_state(meta_state, meta_home, server_run_id)
if not state then return {'cold'} end
if state == 'hydrating' then return {'rebuilding'} end
if meta_hide_counts == '1' then return {'counts_hidden'} end

local millis = math.floor(micros(now) / 1000)
local before = redis.call('GET', keys.board)
if before then
  local as_of, total, line, cuts = string.match(before, '^(%d+) (%d+) (%a+) (.*)$')
  -- A clock that went back makes a new board.
  if tonumber(as_of) <= millis and millis < as_of + LASTS then
    return {'board', tonumber(as_of), tonumber(total), line, cuts}
  end
end

local total, line = redis.call('ZCARD', keys.queue), 'open'
local present = total + redis.call('ZCARD', keys.held) + redis.call('ZCARD', keys.parked)
if meta_open ~= '1' then
  line = 'closed'
elseif present >= (tonumber(meta_capacity) or math.huge) then
  line = 'full'
elseif meta_paused == '1' then
  line = 'paused'
end

local cuts = {}
local first = redis.call('ZRANGE', keys.queue, 0, EXACT - 1, 'WITHSCORES')
local position = #first / 2
for i = 1, position do cuts[i] = '[' .. int_text(first[2 * i]) .. ',' .. i .. ']' end
while position < total do
  position = math.min(math.floor(position * STEP), total)
  local _, rank = unpack(redis.call('ZRANGE', keys.queue, position - 1, position - 1, 'WITHSCORES'))
  cuts[#cuts + 1] = '[' .. int_text(rank) .. ',' .. int_text(position) .. ']'
end
cuts = '[' .. table.concat(cuts, ',') .. ']'
local text = int_text(millis) .. ' ' .. total .. ' ' .. line .. ' ' .. cuts
redis.call('SET', keys.board, text, 'EX', KEPT)
return {'board', millis, total, line, cuts}
