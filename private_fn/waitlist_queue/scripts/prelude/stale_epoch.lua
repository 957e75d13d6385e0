-- Refuse a request that belongs to an earlier queue, which Redis has lost.
-- RETURNS stale_epoch
if epoch ~= '' and epoch ~= meta_epoch then return {'stale_epoch'} end
