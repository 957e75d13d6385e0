-- Refuse a request that was made for an earlier queue of this waitlist. Redis has lost that queue.
-- RETURNS stale_epoch
if epoch ~= '' and epoch ~= meta_epoch then return {'stale_epoch'} end
