-- Only the owner of a queue may use it. The owner is the Redis server that is known to have all data of the queue.
-- Every other server acts as if it had no queue, until a rebuild makes it the owner.
if meta_owner and meta_owner ~= '' and server_run_id ~= '' and meta_owner ~= server_run_id then meta_state = nil end
