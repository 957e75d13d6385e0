-- Each waitlist's queue has an owner, which is the Redis server that is known to have all of its data. The owner is
-- identified by its `run_id`. A server that takes over may lack the newest writes. On that server, scripts return
-- `cold` until a rebuild makes it the owner.
local function owned_state(state, owner, server_run_id)
  if owner and owner ~= '' and server_run_id ~= '' and owner ~= server_run_id then return nil end
  return state
end
