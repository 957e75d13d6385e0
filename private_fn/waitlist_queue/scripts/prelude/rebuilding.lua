-- The queue is being rebuilt from the record, so entries may be missing.
-- RETURNS rebuilding
if meta_state == 'hydrating' then return {'rebuilding'} end
