-- The `claimed` set exists only if the waitlist limits the number of claims.
if not meta_max_claims then keys.claimed = nil end
