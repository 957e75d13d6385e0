-- Appends two arguments to a command that writes many entries at once. A separate command for each entry would cost as
-- much as all the other work together.
local function append_pair(values, first, second)
  values[#values + 1], values[#values + 2] = first, second
end
