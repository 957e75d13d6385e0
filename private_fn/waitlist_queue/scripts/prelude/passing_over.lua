-- The script does not use the keys about readiness if every entry on the waitlist has always been ready and nobody is
-- passed over for being away.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
