-- NEEDS run_length ticket waiting

-- Finds free ranks between neighbouring entries. Ranks are integers, and two entries never have the same rank.
local STEP = 65536 -- a move takes at most this much of a gap, so that many moves fit into the gap

-- Returns the lowest rank in the priority that `rank` belongs to.
local function first_rank_of(rank)
  return math.min(255, math.floor((rank + ROOM) / TIER)) * TIER - ROOM
end

-- Finds the nearest gap ahead of the entry `behind`, within the same priority. Returns the ranks on both sides of the
-- gap and the entries with these ranks, or nil if there is no gap.
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

-- Returns `rank` or the nearest free rank ahead of it in the same priority. The entry may keep its current rank `own`.
local function free_rank(keys, entry_id, rank, own)
  local present, its_rank = waiting_until(keys, rank)
  if its_rank ~= rank or present == entry_id then return rank end
  local _, upper = gap_before(keys, present, rank)
  if own and own < rank and upper and own >= upper then return own end
  return upper and upper - 1
end
