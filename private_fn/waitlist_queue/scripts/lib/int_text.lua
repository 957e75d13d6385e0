-- Converts an integer to text with all its digits. Lua's own conversion keeps only 14 digits, but a rank has up to 16
-- digits.
local function int_text(number)
  return string.format('%d', number)
end
