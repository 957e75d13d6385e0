-- The Redis keys for entries that are not ready exist if the waitlist has ever had such an entry. The script may create
-- these keys if the waitlist has the `presence` setting. Otherwise, it must not use them.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
