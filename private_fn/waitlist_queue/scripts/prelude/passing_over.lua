-- The keys about readiness exist if any entry on the waitlist has ever not been ready. The script also needs these keys
-- if it may pass over customers who are away.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
