-- NEEDS run_length

-- Returns `rank` if it is free, or the next free rank after it.
local function free_rank_after(keys, rank)
  return rank + run_length(keys, rank, 1)
end
