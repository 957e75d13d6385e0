-- Returns the pace that maintenance has measured. Returns `paused` if the waitlist is paused, and `unknown` if there is
-- no pace.
local function pace_of(paused, pace)
  return paused == '1' and 'paused' or pace or 'unknown'
end
