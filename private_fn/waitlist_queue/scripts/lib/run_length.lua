-- NEEDS waiting

-- Returns how many consecutive ranks are taken, beginning at `rank` and going in `direction` (1 or -1). The function
-- doubles the range until a rank is free, and then searches by halving, because checking every rank could take very
-- long.
local function run_length(keys, rank, direction)
  local function is_full(length)
    local last = rank + direction * (length - 1)
    return count_between(keys, math.min(rank, last), math.max(rank, last)) == length
  end
  if not is_full(1) then return 0 end
  local full, open = 1, 2
  while is_full(open) do full, open = open, open * 2 end
  while open - full > 1 do
    local middle = math.floor((full + open) / 2)
    if is_full(middle) then full = middle else open = middle end
  end
  return full
end
