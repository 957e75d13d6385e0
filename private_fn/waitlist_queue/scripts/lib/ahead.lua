-- NEEDS gap waiting_at

-- Returns a free rank in the nearest gap ahead of the entry at `index`, or nil if there is no gap. The rank is close to
-- a neighbour that has been moved too, because moves often go to the same spot one after the other.
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
