-- Refuse filters that were made with outdated segment settings, and refuse all filters until the segment index is
-- complete.
-- NEEDS pop
-- RETURNS stale_segments|segments_building
if filters ~= EVERYONE and segments_version ~= meta_segments_version then return {'stale_segments'} end
if filters ~= EVERYONE and meta_segments_state == 'building' then return {'segments_building'} end
