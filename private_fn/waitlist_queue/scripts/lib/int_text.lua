-- Converts an integer to text with all its digits. Lua's own conversion keeps 14, and a rank has 16.
-- (Arguments of redis.call and numbers in a reply keep all digits without this.)
local function int_text(number)
  return string.format('%d', number)
end
