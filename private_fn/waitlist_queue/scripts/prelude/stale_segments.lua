-- Refuse a request that was made with other segment settings than the waitlist has now.
-- RETURNS stale_segments
if segments_version ~= meta_segments_version then return {'stale_segments'} end
