-- If every entry on the waitlist has always been ready, the Redis keys for entries that are not ready do not exist. If
-- `keys.not_ready` is nil, the script does not use them.
if not meta_not_ready then keys.not_ready = nil end
