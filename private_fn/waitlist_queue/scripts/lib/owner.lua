-- Each order has an owner: the server, identified by its run_id, that is known to have the complete order. A server
-- that takes over may lack the newest writes. Scripts on such a server return `cold` until a rebuild makes it the
-- owner.
local function owned_state(state, owner, server_run_id)
  if owner and owner ~= '' and server_run_id ~= '' and owner ~= server_run_id then return nil end
  return state
end
