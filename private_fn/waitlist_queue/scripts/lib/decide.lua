-- Pending decisions are decisions about an entry that its record may lack. Redis keeps them until maintenance has
-- written them to the record. The hash `pending_decisions` has them for each entry, oldest first, separated by spaces.
-- The text of a decision is verb|token|stamp|rank|ticket|attempts|at;basis;placed. `at` is a time in milliseconds: the
-- deadline of an offer or an expired hold, the time of a parking, or the time at which a released entry is ready again.
-- It is 0 for all other decisions. A server that takes over may lack recent decisions that the record has. To detect
-- this, a decision also contains two stamps (logical timestamps). `basis` is the stamp of the newest earlier decision
-- about the entry that Redis knows. `placed` is the stamp of the newest decision that changed the entry's rank, or 0 if
-- the record has that decision.
local DECISIONS_KEPT = 16 -- for each entry, because a caller may move an entry any number of times

-- Returns the stamp (logical timestamp) and `placed` of the last pending decision about an entry. Both are 0 if there
-- is no pending decision.
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
