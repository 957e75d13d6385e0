-- The owner of a queue is the Redis server that is known to have all of its data. On any other server, scripts return
-- `cold` until a rebuild makes that server the owner.
local function owned_state(state, owner, server_run_id)
  if owner and owner ~= '' and server_run_id ~= '' and owner ~= server_run_id then return nil end
  return state
end
