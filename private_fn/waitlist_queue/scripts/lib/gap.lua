-- Free ranks between neighbours: ranks are integers and no two entries may share one.
local STEP = 65536 -- a move takes at most this much of a gap, so that many moves fit into it

local function rank_at(queue_key, index)
  return tonumber(redis.call('ZRANGE', queue_key, index, index, 'WITHSCORES')[2])
end

-- The smallest index whose ranks up to `index` have no gap: in a run without gaps, ranks
-- differ by as much as indexes do, so the search halves (a walk would not be bounded).
local function run_start(queue_key, index, rank)
  local low, high = 0, index
  while low < high do
    local middle = math.floor((low + high) / 2)
    if rank - rank_at(queue_key, middle) == index - middle then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- A free rank ahead of the entry at `index`, in the nearest gap; nil if there is none.
local function rank_before(queue_key, index)
  local rank = rank_at(queue_key, index)
  local start = run_start(queue_key, index, rank)
  local upper = rank - (index - start)
  local ahead = start > 0 and rank_at(queue_key, start - 1) or -1
  -- Stay in the tier of those behind: whoever is moved to its head gets their priority.
  local lower = math.max(ahead, math.floor(upper / TIER) * TIER - 1)
  if upper - lower < 2 then lower = ahead end
  if upper - lower < 2 then return nil end
  return math.max(upper - STEP, lower + math.floor((upper - lower) / 2))
end

-- `rank` itself, or the nearest free one ahead of it where another entry has it already.
local function free_rank(queue_key, entry_id, rank)
  local taken = redis.call('ZRANGEBYSCORE', queue_key, rank, rank, 'LIMIT', 0, 1)
  if not taken[1] or taken[1] == entry_id then return rank end
  return rank_before(queue_key, redis.call('ZRANK', queue_key, taken[1]))
end
