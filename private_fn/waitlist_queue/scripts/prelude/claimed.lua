-- Claims are counted only on a waitlist that limits the number of claims.
if not meta_max_claims then keys.claimed = nil end
