-- purge: deletes all that Redis has of a waitlist.
-- KEYS meta queue gone moved held claims parked attempts unsettled decided segments tags crowds inside visits board
-- RETURNS purged
redis.call('UNLINK', unpack(KEYS))
return {'purged'}
