-- Decisions that the record may lack, oldest first, a space between two, by entry:
-- verb|token|stamp|rank|ticket|attempts|at;basis;placed. `at` is a millisecond: the deadline of a hold that expired, or of
-- an offer; the time of a parking by a caller; the time at which a released entry is ready again; else 0. Redis keeps the
-- decisions until maintenance has reconciled the record.
-- A server that took over may have decided without the newest decisions, which the record has. So a decision names
-- its `basis`, the newest decision about the entry that Redis knew, and `placed`, the newest of these that gave the
-- entry another rank: 0 if the record has it.
local DECISIONS_KEPT = 16 -- of one entry, the newest: a caller may move an entry any number of times

-- Returns stamp and `placed` of the last of an entry's decisions, 0 without one; an older version wrote no `placed`.
local function newest_of(packed)
  local stamp = packed and string.match(packed, '|(%d+)|%-?%d+|%d+|%d+|[%d;]+$')
  return {stamp = tonumber(stamp or 0), placed = tonumber(packed and string.match(packed, ';(%d+)$') or stamp or 0)}
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
