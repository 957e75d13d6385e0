-- Puts an entry back into line, at `rank` or the nearest free one ahead of it.
local function return_to_line(keys, entry_id, note, rank)
  local free = free_rank(keys, entry_id, rank) or rank
  put(keys, entry_id, free, note.ticket)
  redis.call('HDEL', keys.claims, entry_id)
  redis.call('ZREM', keys.held, entry_id)
  redis.call('ZREM', keys.parked, entry_id)
  if note.attempts > 0 then
    redis.call('HSET', keys.tries, entry_id, note.attempts)
  else
    redis.call('HDEL', keys.tries, entry_id)
  end
  return free
end
