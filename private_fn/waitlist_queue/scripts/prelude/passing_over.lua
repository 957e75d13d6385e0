-- The Redis keys for entries that are not ready exist if the waitlist has ever had such an entry. If the waitlist has
-- the `presence` setting, the script may create these keys. Otherwise, the script must not use them.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
