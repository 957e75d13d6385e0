-- If every entry on the waitlist has always been ready, the keys about readiness do not exist.
if not meta_not_ready then keys.not_ready = nil end
