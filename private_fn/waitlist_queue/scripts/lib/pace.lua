-- Returns the pace that maintenance has stored, which says how fast people are admitted. Returns `paused` if the
-- waitlist is paused, and `unknown` if no pace is stored.
local function pace_of(paused, pace)
  return paused == '1' and 'paused' or pace or 'unknown'
end
