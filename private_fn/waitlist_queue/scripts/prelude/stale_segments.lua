-- Refuse a request that was made with outdated segment settings.
-- RETURNS stale_segments
if segments_version ~= meta_segments_version then return {'stale_segments'} end
