-- A claim or an offer has expired, but is not ended yet. Positions and counts are wrong until it is ended.
-- PRELUDE clock
-- NEEDS holds
-- RETURNS expiring
if has_expired_holds(keys, now) then return {'expiring'} end
