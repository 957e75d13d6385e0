-- Free ranks between neighbours: ranks are integers, and no two entries may share one.
local STEP = 65536 -- the most that a move takes of a gap, so that many moves fit into it

-- Returns the first rank of the priority that a rank belongs to: the room ahead of its tickets begins there.
-- Versions without that room could leave an entry behind the last priority's tickets: it stays there.
local function first_rank_of(rank)
  return math.min(255, math.floor((rank + ROOM) / TIER)) * TIER - ROOM
end

-- Returns the ranks and ids of the entry at `index` and of the one ahead of it (nil for the first).
local function neighbours_at(keys, index)
  local found = redis.call('ZRANGE', keys.queue, math.max(index - 1, 0), index, 'WITHSCORES')
  local n = #found
  return tonumber(found[n]), found[n - 1], tonumber(found[n - 2]), found[n - 3]
end

-- Returns the smallest index whose ranks up to `index` have no gap: in a run without gaps, ranks
-- differ by as much as indexes do, so the search halves (stepping would not be bounded).
local function run_start(keys, index, rank)
  local low, high = 0, index
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, middle_rank = unpack(redis.call('ZRANGE', keys.queue, middle, middle, 'WITHSCORES'))
    if rank - middle_rank == index - middle then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- Returns the nearest gap ahead of the entry at `index`, within its priority: the ranks around it and the
-- entries that have them (none at the beginning of a priority). nil if there is no gap.
local function gap_before(keys, index)
  local upper, behind, lower, ahead = neighbours_at(keys, index)
  local before_first = first_rank_of(upper) - 1
  if lower == upper - 1 then
    local start = run_start(keys, index - 1, lower)
    upper, behind, lower, ahead = neighbours_at(keys, start)
  end
  if not lower or lower <= before_first then lower, ahead = before_first, nil end
  if upper - lower < 2 then return nil end
  return lower, upper, ahead, behind
end

-- Returns `rank`, or the nearest free rank ahead of it in its priority if another entry has it.
local function free_rank(keys, entry_id, rank)
  local present_id = unpack(redis.call('ZRANGEBYSCORE', keys.queue, rank, rank, 'LIMIT', 0, 1))
  if not present_id or present_id == entry_id then return rank end
  local _, upper = gap_before(keys, redis.call('ZRANK', keys.queue, present_id))
  return upper and upper - 1
end
