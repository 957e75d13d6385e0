-- The tags of an entry are the stored ids of its segments. If the waitlist has no segments, its entries have no tags.
if meta_segments_version == '0' then keys.tags = nil end
