-- purge: Deletes all of a waitlist's data from Redis.
-- RETURNS purged
redis.call('UNLINK', unpack(KEYS))
return {'purged'}
