-- The times of polls are stored only if the waitlist has the setting `presence`.
if not meta_presence_seconds then keys.last_polls = nil end
