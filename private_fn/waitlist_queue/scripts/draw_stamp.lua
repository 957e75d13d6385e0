-- draw_stamp: Draws a stamp (logical timestamp) for an event that is written only to the record of an entry.
-- USES owner clock ticket next_stamp
-- KEYS meta
-- ARGV known_stamp now server_run_id
-- META state owner
-- RETURNS drawn stamp | cold
if not owned_state(meta_state, meta_owner, server_run_id) then return {'cold'} end
return {'drawn', next_stamp(keys, now, nil, known_stamp)}
