-- Returns how fast the waitlist admits people, as maintenance has measured it. Returns `paused` if the waitlist is
-- paused, and `unknown` if there is no measurement.
local function pace_of(paused, pace)
  return paused == '1' and 'paused' or pace or 'unknown'
end
