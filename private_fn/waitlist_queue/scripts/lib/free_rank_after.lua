-- Returns `rank`, or the next free rank after it. A run without gaps has as many entries as ranks, so doubling
-- and halving find its end: stepping from rank to rank would not be bounded.
local function free_rank_after(keys, rank)
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
