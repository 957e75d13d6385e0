-- An order has an owner: the server (its run_id) that is known to have all of it. A server that takes over may
-- lack the newest writes, so scripts
-- return `cold` until a rebuild makes this server the owner.
local function owned_state(state, owner, server_run_id)
  if owner and owner ~= '' and server_run_id ~= '' and owner ~= server_run_id then return nil end
  return state
end
