-- Returns how fast the waitlist admits people, as measured by maintenance, or `paused` or `unknown`.
local function pace_of(paused, pace)
  return paused == '1' and 'paused' or pace or 'unknown'
end
