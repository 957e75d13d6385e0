-- The times of polls are stored only if the waitlist has the `presence` setting.
if not meta_presence_seconds then keys.last_polls = nil end
