-- Free ranks between neighbours: ranks are integers, and no two entries may share one.
local STEP = 65536 -- the most that a move takes of a gap, so that many moves fit into it

-- Returns the first rank of the priority that a rank belongs to: the room ahead of its tickets begins there.
-- Versions without that room could leave an entry behind the last priority's tickets: it stays there.
local function first_rank_of(rank)
  return math.min(255, math.floor((rank + ROOM) / TIER)) * TIER - ROOM
end

-- Returns the nearest gap ahead of the entry `behind`, which waits at the rank `upper`, within its priority: the ranks
-- around the gap and the entries that have them (none at the beginning of a priority). nil if there is no gap.
local function gap_before(keys, behind, upper)
  local before_first = first_rank_of(upper) - 1
  local ahead, lower = waiting_until(keys, upper - 1)
  if lower == upper - 1 then
    behind, upper = waiting_until(keys, upper - run_length(keys, lower, -1))
    ahead, lower = waiting_until(keys, upper - 1)
  end
  if not lower or lower <= before_first then lower, ahead = before_first, nil end
  if upper - lower < 2 then return nil end
  return lower, upper, ahead, behind
end

-- Returns `rank`, or the nearest free rank ahead of it in its priority if another entry has it. An entry that waits
-- at the rank `own` may stay there.
local function free_rank(keys, entry_id, rank, own)
  local present, its_rank = waiting_until(keys, rank)
  if its_rank ~= rank or present == entry_id then return rank end
  local _, upper = gap_before(keys, present, rank)
  if own and own < rank and upper and own >= upper then return own end
  return upper and upper - 1
end
