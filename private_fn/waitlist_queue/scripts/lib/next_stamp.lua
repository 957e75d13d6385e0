-- Returns the next value of the counter for tickets and stamps. A script that has read the counter already passes its
-- value as `last`. The result is also later than `known_stamp`, the newest stamp that the record has of the entry.
-- Redis may not know that stamp, because the record draws stamps itself while an entry is off the list.
local function next_stamp(keys, now, last, known_stamp)
  last = last or redis.call('HGET', keys.meta, 'last_ticket')
  local stamp = ticket_after(math.max(tonumber(last), tonumber(known_stamp or 0)), micros(now))
  redis.call('HSET', keys.meta, 'last_ticket', stamp)
  return stamp
end
