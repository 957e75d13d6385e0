-- Refuse the request if Redis has no queue for this waitlist, or if a different server owns the queue.
-- PRELUDE owner
-- RETURNS cold
if not meta_state then return {'cold'} end
