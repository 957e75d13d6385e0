-- The tags of an entry name its segments. If the waitlist has no segments, its entries have no tags.
if meta_segments_version == '0' then keys.tags = nil end
