-- Returns the next stamp (logical timestamp). Stamps and tickets come from the same counter. If a script has already
-- read the counter, it passes the value as `last`. `known_stamp` is the newest stamp in the record of the entry, and
-- the result is later. Redis may not know `known_stamp`, because stamps come from the record while an entry is off the
-- waitlist.
local function next_stamp(keys, now, last, known_stamp)
  last = last or redis.call('HGET', keys.meta, 'last_ticket')
  local stamp = ticket_after(math.max(tonumber(last), tonumber(known_stamp or 0)), micros(now))
  redis.call('HSET', keys.meta, 'last_ticket', stamp)
  return stamp
end
