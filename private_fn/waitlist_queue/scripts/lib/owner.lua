-- Scripts run only on the owner of a queue, which is the Redis server that is known to have all of its data. Other
-- servers return `cold` until a rebuild makes them the owner.
local function owned_state(state, owner, server_run_id)
  if owner and owner ~= '' and server_run_id ~= '' and owner ~= server_run_id then return nil end
  return state
end
