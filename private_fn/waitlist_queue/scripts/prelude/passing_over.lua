-- The script uses the keys about readiness if any entry on the waitlist has ever not been ready. It also uses them if
-- customers who are away may be passed over.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
