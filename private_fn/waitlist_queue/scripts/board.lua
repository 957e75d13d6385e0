-- board: Returns a snapshot of the positions in the queue. All requests within five seconds get the same snapshot.
-- `cuts` is a JSON list of pairs in serving order. Each pair contains the rank and the position of an entry.
-- PRELUDE clock cold rebuilding not_ready
-- NEEDS holds int_text opening waiting
-- RETURNS board as_of_millis total line cuts
-- RETURNS counts_hidden|expiring
local LASTS, KEPT = 5000, 60 -- milliseconds, seconds
local EXACT, STEP = 200, 1.01

if meta_hide_counts == '1' then return {'counts_hidden'} end

local millis = math.floor(now / 1000)
local before = redis.call('GET', keys.board)
if before then
  local as_of, total, line, cuts = string.match(before, '^(%d+) (%d+) ([%a_]+) (.*)$')
  as_of = tonumber(as_of)
  local function has_passed(instant)
    instant = tonumber(instant)
    return instant and as_of < instant and instant <= millis
  end
  -- Make a new snapshot if the clock was set back, or if signups have begun or ended since the last snapshot.
  local is_new = as_of <= millis and millis < as_of + LASTS
  if is_new and not has_passed(meta_opens_millis or nil) and not has_passed(meta_closes_millis or nil) then
    return {'board', as_of, tonumber(total), line, cuts}
  end
end

if has_expired_holds(keys, now) then return {'expiring'} end
local total, line = count_verified(keys), 'open'
local present = count_waiting(keys) + redis.call('ZCARD', keys.held) + redis.call('ZCARD', keys.parked)
local shut = shut_line(meta_open, meta_opens_millis, meta_closes_millis, now)
if shut then
  line = shut
elseif present >= (tonumber(meta_capacity) or math.huge) then
  line = 'full'
elseif meta_paused == '1' then
  line = 'paused'
end

-- Adds some of a sorted set's entries to the board, with their ranks and positions. The board is public. It does not
-- contain entries with an unverified address, because their ranks would reveal when the customers signed up.
local cuts = {}
local function cut(set, other)
  local count = redis.call('ZCARD', set)
  local function add(number, entry_id, rank)
    local position = other and number + redis.call('ZCOUNT', other, '-inf', rank) or number
    if other then
      if redis.call('ZSCORE', keys.unverified, entry_id) then return end
      position = position - redis.call('ZCOUNT', keys.unverified, '-inf', rank)
    end
    cuts[#cuts + 1] = {rank = tonumber(rank), position = position}
  end
  local first = redis.call('ZRANGE', set, 0, EXACT - 1, 'WITHSCORES')
  local number = #first / 2
  for i = 1, number do add(i, first[2 * i - 1], first[2 * i]) end
  while number < count do
    number = math.min(math.floor(number * STEP), count)
    add(number, unpack(redis.call('ZRANGE', set, number - 1, number - 1, 'WITHSCORES')))
  end
end
cut(keys.queue, keys.not_ready)
if keys.not_ready then
  cut(keys.not_ready, keys.queue)
  table.sort(cuts, function(a, b) return a.rank < b.rank end)
end
for i, pair in ipairs(cuts) do
  cuts[i] = '[' .. int_text(pair.rank) .. ',' .. int_text(pair.position) .. ']'
end
cuts = '[' .. table.concat(cuts, ',') .. ']'
local text = int_text(millis) .. ' ' .. total .. ' ' .. line .. ' ' .. cuts
redis.call('SET', keys.board, text, 'EX', KEPT)
return {'board', millis, total, line, cuts}
