-- The script uses the keys about readiness only if at least one entry on the waitlist was not ready at some time, or if
-- customers who are away may be passed over.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
