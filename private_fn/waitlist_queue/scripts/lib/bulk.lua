-- Gathers what one command writes of many entries: one for each would cost as much as all else.
local function add(values, first, second)
  values[#values + 1], values[#values + 2] = first, second
end
