-- Returns the order's state, for scripts that need nothing else of the meta hash.
local function read_state(keys, server_run_id)
  local meta = redis.call('HMGET', keys.meta, 'state', 'home')
  return owned_state(meta[1], meta[2], server_run_id)
end
