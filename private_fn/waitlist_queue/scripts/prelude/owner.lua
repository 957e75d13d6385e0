-- A queue belongs to the Redis server that is known to have all the queue's data. This server is the owner. Any other
-- server acts as if it had no queue, until a rebuild makes it the owner.
if meta_owner and meta_owner ~= '' and server_run_id ~= '' and meta_owner ~= server_run_id then meta_state = nil end
