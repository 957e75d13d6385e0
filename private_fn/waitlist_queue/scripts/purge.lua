-- purge: Deletes all data of a waitlist from Redis.
-- KEYS meta queue not_ready unverified ready_at readiness tombstones tickets_of_moved held claimed claims parked attempts dirty pending_decisions segments tags shared_milliseconds inside visits board
-- RETURNS purged
redis.call('UNLINK', unpack(KEYS))
return {'purged'}
