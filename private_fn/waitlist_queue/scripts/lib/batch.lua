-- Appends a pair to the arguments of one command for many entries. A separate command for each entry would cost as much
-- as everything else together.
local function append_pair(values, first, second)
  values[#values + 1], values[#values + 2] = first, second
end
