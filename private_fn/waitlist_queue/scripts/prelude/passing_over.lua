-- The Redis keys for entries that are not ready exist if the waitlist has had such an entry at some time. If the
-- waitlist has the setting `presence`, the script may also create these keys. In all other cases, the script must not
-- use them.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
