-- purge: Deletes all data of a waitlist from Redis.
-- RETURNS purged
redis.call('UNLINK', unpack(KEYS))
return {'purged'}
