-- Decisions that the record may lack, oldest first, a space between two, by entry:
-- verb|token|stamp|rank|ticket|attempts|at. `at` is the millisecond of a parking (that of the deadline, where
-- no caller made it), the stamp at which the lease of an expired hold ended, else 0. Redis keeps them until maintenance has reconciled the record.
local DECISIONS_KEPT = 16 -- of one entry, the newest: a caller may move an entry any number of times

local function decide(keys, entry_id, verb, hold, token, at)
  redis.call('ZADD', keys.unsettled, hold.stamp, entry_id)
  local decision = string.format('%s|%s|%d|%d|%d|%d|%d', verb, token, hold.stamp, hold.rank,
    hold.ticket, hold.attempts, at)
  local before = redis.call('HGET', keys.decided, entry_id)
  if before then
    local _, more = string.gsub(before, ' ', '')
    if more + 2 > DECISIONS_KEPT then before = string.match(before, ' (.*)') end
    decision = before .. ' ' .. decision
  end
  redis.call('HSET', keys.decided, entry_id, decision)
end
