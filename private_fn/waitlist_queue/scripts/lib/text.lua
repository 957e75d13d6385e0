-- Numbers go to Redis as text: Lua's own conversion keeps 14 digits only, a rank has 16.
local function text(number)
  return string.format('%.0f', number)
end
