-- Polls are noted only on a waitlist with the setting `presence`.
if not meta_presence_seconds then keys.last_polls = nil end
