-- Refuse the request while the queue is being rebuilt from the records, because entries may be missing.
-- RETURNS rebuilding
if meta_state == 'hydrating' then return {'rebuilding'} end
