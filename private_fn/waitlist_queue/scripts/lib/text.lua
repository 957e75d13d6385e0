-- Numbers inside a text, and in replies that are texts: Lua's own conversion keeps 14 digits only,
-- a rank has 16. (As arguments of redis.call, and as numbers of a reply, they keep all of theirs.)
local function text(number)
  return string.format('%d', number)
end
