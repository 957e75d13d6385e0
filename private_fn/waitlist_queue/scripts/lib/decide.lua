-- Pending decisions are the decisions about an entry that the record may lack. They are stored by entry, oldest first,
-- separated by spaces. Redis keeps them until maintenance has reconciled the record. A decision is stored as
-- verb|token|stamp|rank|ticket|attempts|at;basis;placed. `at` is a millisecond: the deadline of an expired hold or of
-- an offer, the time at which a caller parked the entry, or the time at which a released entry is ready again. It is 0
-- for all other decisions. A server that took over may lack the newest decisions, which the record has. Therefore a
-- decision names its `basis`, the newest earlier decision about the entry that Redis knew. It also names as `placed`
-- the newest decision that changed the rank of the entry, or 0 if the record has that decision.
local DECISIONS_KEPT = 16 -- for each entry, because a caller may move an entry any number of times

-- Returns the stamp and `placed` of the last decision about an entry, or 0 if there is none.
local function newest_of(packed)
  local stamp, placed = string.match(packed or '', '|(%d+)|%-?%d+|%d+|%d+|%d+;%d+;(%d+)$')
  return {stamp = tonumber(stamp or 0), placed = tonumber(placed or 0)}
end

local function decide(keys, entry_id, verb, hold, token, at)
  redis.call('ZADD', keys.dirty, hold.stamp, entry_id)
  local before = redis.call('HGET', keys.pending_decisions, entry_id)
  local last = newest_of(before)
  hold.basis = hold.basis or last.stamp
  hold.placed = hold.rank ~= hold.was and hold.stamp or last.placed
  local decision = string.format('%s|%s|%d|%d|%d|%d|%d;%d;%d', verb, token, hold.stamp, hold.rank,
    hold.ticket, hold.attempts, at, hold.basis, hold.placed)
  if before then
    local _, more = string.gsub(before, ' ', '')
    if more + 2 > DECISIONS_KEPT then before = string.match(before, ' (.*)') end
    decision = before .. ' ' .. decision
  end
  redis.call('HSET', keys.pending_decisions, entry_id, decision)
end
