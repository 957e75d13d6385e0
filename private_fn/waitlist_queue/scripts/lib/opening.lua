-- Returns nil if the waitlist accepts signups now. Otherwise, returns `closed` or `not_open_yet`.
local function shut_line(open, opens_millis, closes_millis, now)
  local millis = now / 1000
  if open ~= '1' or closes_millis and millis >= tonumber(closes_millis) then return 'closed' end
  if opens_millis and millis < tonumber(opens_millis) then return 'not_open_yet' end
end
