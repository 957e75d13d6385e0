-- The keys about readiness exist if an entry was not ready before. The script needs them too if it may pass over customers
-- who are away.
if not (meta_not_ready or meta_presence_seconds) then keys.not_ready = nil end
