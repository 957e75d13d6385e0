-- purge: forgets a waitlist's order.
-- KEYS meta queue gone moved held claims parked tries unsettled decided segments tags crowds
-- RETURNS purged

redis.call('UNLINK', unpack(KEYS))
return {'purged'}
