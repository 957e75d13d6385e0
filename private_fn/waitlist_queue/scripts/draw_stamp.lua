-- draw_stamp: Creates a logical timestamp (stamp) for an event that is written only to an entry's record.
-- PRELUDE clock cold
-- NEEDS tickets
-- ARGV known_stamp
-- RETURNS drawn stamp
return {'drawn', next_stamp(keys, now, nil, known_stamp)}
