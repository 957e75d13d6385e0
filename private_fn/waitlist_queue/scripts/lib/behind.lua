-- `rank` itself, or the next free one behind it. In a run without gaps as many stand as it is long,
-- so its end is found by doubling and halving: a walk would not be bounded.
local function free_behind(keys, rank)
  local function is_full(length)
    return redis.call('ZCOUNT', keys.queue, rank, rank + length - 1) == length
  end
  if not is_full(1) then return rank end
  local full, open = 1, 2
  while is_full(open) do full, open = open, open * 2 end
  while open - full > 1 do
    local middle = math.floor((full + open) / 2)
    if is_full(middle) then full = middle else open = middle end
  end
  return rank + full
end
