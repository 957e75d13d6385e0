-- Returns the waitlist's measured pace, which is how fast it admits people. Returns `paused` if the waitlist is paused,
-- and `unknown` if the pace has not been measured.
local function pace_of(paused, pace)
  return paused == '1' and 'paused' or pace or 'unknown'
end
