-- A script may use the Redis keys for entries that are not ready only if the waitlist has ever had such an entry or has
-- the `presence` setting. Otherwise, `keys.not_ready` is nil, and the script must not use these keys.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
