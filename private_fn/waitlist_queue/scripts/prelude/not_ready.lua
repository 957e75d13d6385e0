-- If every entry on the waitlist has always been ready, the script does not use the keys about readiness.
if not meta_not_ready then keys.not_ready = nil end
