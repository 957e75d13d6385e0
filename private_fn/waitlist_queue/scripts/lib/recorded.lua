-- How an entry looks to whoever compares it with its record: a repair is for just that look.
local function look_of(in_line, aside)
  if in_line then return 'waiting:' .. text(in_line) end
  return aside and aside.state .. ':' .. text(aside.rank)
end

-- Whether a record's place counts for an entry that Redis may have elsewhere: in the second look of
-- a rebuild ("any") it does unless Redis has decided later; in a repair, for just the look it is for.
local function is_to_be_put(keys, entry_id, seen, is_hydrating, note, in_line, aside)
  if not (in_line or aside) or seen == look_of(in_line, aside) then return true end
  if seen ~= 'any' or not is_hydrating then return false end
  -- An admission is news to any record that asks for this.
  if aside and aside.state == 'done' and aside.ticket == note.ticket then return false end
  if note.state == 'waiting' and in_line == note.rank then return false end
  if aside and aside.stamp > note.stamp then return false end
  local decided = redis.call('ZSCORE', keys.unsettled, entry_id)
  return not decided or tonumber(decided) <= note.stamp
end

-- Gives an entry the tags of its record, if the list has segments; nobody else's, where another stay has its place.
local function tag_as_recorded(keys, entry_id, tags, note, in_line, aside, is_put)
  if not tags then return end
  local ticket = aside and aside.ticket or in_line and ticket_of(keys, entry_id, in_line)
  local is_known = ticket == note.ticket
  if is_put or (is_known and not (aside and aside.state == 'done')) then
    retag(keys, entry_id, tags, in_line, not is_known)
  end
end

-- Puts an entry in line, with a claimer or on the shelf, as its record says.
local function put_where_recorded(keys, entry_id, note, in_line, time)
  if in_line then
    -- Its own old rank must not stand in its way to the new one.
    redis.call('ZREM', keys.queue, entry_id)
    leave_segments(keys, entry_id, in_line)
  end
  if note.state == 'waiting' then return return_to_line(keys, entry_id, note, note.rank) end
  redis.call('HDEL', keys.moved, entry_id)
  redis.call('HDEL', keys.tries, entry_id)
  redis.call('ZREM', note.state == 'held' and keys.parked or keys.held, entry_id)
  redis.call('ZADD', note.state == 'held' and keys.held or keys.parked, time, entry_id)
  write_note(keys, entry_id, note)
  return note.rank
end
