-- The hash `pending_decisions` has the decisions about an entry that its record may lack, oldest first. Maintenance
-- writes them to the record. The text of a decision is verb|token|stamp|rank|ticket|attempts|at;basis;placed, and class
-- Decision explains these fields.
local DECISIONS_KEPT = 16 -- for each entry, because a caller may move an entry any number of times

-- Returns the logical timestamp and the field `placed` of the last pending decision about an entry, or two zeros.
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
