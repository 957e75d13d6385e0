-- NEEDS tickets waiting

-- The functions in this file find free ranks between neighbouring entries. Ranks are integers, and two entries never
-- have the same rank.
local STEP = 65536 -- the largest part of a gap that a move takes, so that many moves fit into the gap

-- Returns how many consecutive ranks are taken, beginning at `rank` and going in `direction` (1 or -1).
--
-- Checking every rank could take too long, so the function doubles the range until it contains a free rank, and then
-- finds this rank with a binary search.
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

-- Returns the lowest rank in the priority that `rank` belongs to.
local function first_rank_of(rank)
  return math.min(MAX_PRIORITY, math.floor((rank + ROOM) / TIER)) * TIER - ROOM
end

-- Finds the nearest gap of free ranks ahead of an entry. `behind` is the id of the entry, and `upper` is its rank. The
-- search does not go beyond the priority of this entry.
--
-- Returns the ranks directly before and after the gap, and the ids of the entries at these ranks. The first id is nil
-- if the gap is at the front of the priority. Returns nil if there is no gap.
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

-- Returns `rank` if it is free, or else the next free rank after it.
local function free_rank_after(keys, rank)
  return rank + run_length(keys, rank, 1)
end

-- Finds the entry that has `index` entries ahead of it, and returns a free rank in the nearest gap ahead of that entry.
-- Returns nil if there is no gap.
--
-- Operators often move several entries to the same place in the queue, one after the other. If only one of the two
-- entries next to the gap was moved earlier, the returned rank is close to the rank of that entry. Most of the gap then
-- stays free for later moves.
local function rank_ahead_of(keys, index)
  local lower, upper, ahead, behind = gap_before(keys, waiting_at(keys, index))
  if not lower then return nil end
  local room = upper - lower
  local little = math.min(STEP, math.max(1, math.floor(room / 64)))
  local is_behind_moved, is_ahead_moved =
    unpack(redis.call('HMGET', keys.tickets_of_moved, behind, ahead or ''))
  if is_ahead_moved and not is_behind_moved then return lower + little end
  if is_behind_moved and not is_ahead_moved then return upper - little end
  return math.max(upper - STEP, lower + math.max(1, math.floor(room / 4)))
end
