-- The state of an order where nothing else of its meta hash is of interest.
local function state_here(keys, here)
  local meta = redis.call('HMGET', keys.meta, 'state', 'home')
  return at_home(meta[1], meta[2], here)
end
