-- An order has a home: the server that knows it to be whole. When another takes over, which may lack
-- the newest writes, it knows no state until maintenance has looked what was lost.
local function at_home(state, home, here)
  if home and home ~= '' and here ~= '' and home ~= here then return nil end
  return state
end
