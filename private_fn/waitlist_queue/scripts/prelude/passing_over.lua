-- The Redis keys for entries that are not ready exist if an entry has ever been not ready. With the setting `presence`,
-- the script may create them.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
