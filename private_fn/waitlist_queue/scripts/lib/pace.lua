-- Returns the pace that maintenance has measured, or the word for a queue that has none.
local function pace_of(paused, pace)
  return paused == '1' and 'paused' or pace or 'unknown'
end
