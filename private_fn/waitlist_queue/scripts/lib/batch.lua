-- Appends two arguments to a command that writes many entries at once. This is much faster than one command for each
-- entry.
local function append_pair(values, first, second)
  values[#values + 1], values[#values + 2] = first, second
end
