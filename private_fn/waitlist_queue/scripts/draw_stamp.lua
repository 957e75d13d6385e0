-- draw_stamp: Draws a stamp for an event of an entry that is written to the record only.
-- USES owner clock ticket next_stamp
-- KEYS meta
-- ARGV known_stamp now server_run_id
-- META state owner
-- RETURNS drawn stamp | cold
if not owned_state(meta_state, meta_owner, server_run_id) then return {'cold'} end
return {'drawn', next_stamp(keys, now, nil, known_stamp)}
