-- Decisions that the record may not have yet, oldest first, a space between two, by entry:
-- verb|token|stamp|rank|ticket|attempts|at. `at` is the millisecond of a parking, the stamp at
-- which an expired hold's time was up, else 0. Redis keeps them until maintenance has settled.
local DECISIONS_KEPT = 16 -- of one entry, the newest: a caller may move an entry without end

local function decide(keys, entry_id, verb, note, token, at)
  redis.call('ZADD', keys.unsettled, note.stamp, entry_id)
  local decision = string.format('%s|%s|%d|%d|%d|%d|%d', verb, token, note.stamp, note.rank,
    note.ticket, note.attempts, at)
  local before = redis.call('HGET', keys.decided, entry_id)
  if before then
    local _, more = string.gsub(before, ' ', '')
    if more + 2 > DECISIONS_KEPT then before = string.match(before, ' (.*)') end
    decision = before .. ' ' .. decision
  end
  redis.call('HSET', keys.decided, entry_id, decision)
end
