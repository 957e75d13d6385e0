-- Refuse the request if a claim or an offer has expired but has not been ended yet, because positions and counts are
-- wrong until then.
-- PRELUDE clock
-- NEEDS holds
-- RETURNS expiring
if has_expired_holds(keys, now) then return {'expiring'} end
