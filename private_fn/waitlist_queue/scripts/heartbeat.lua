-- heartbeat: Increments a counter in Redis. If the counter is lower than the caller expects, Redis has lost writes.
-- PRELUDE clock cold rebuilding
-- NEEDS tickets
-- ARGV epoch known_beat pace
-- RETURNS beats|behind epoch epoch_start beat stamp counters
-- EACH counters signed_up left admitted entered declined no_shows
-- RETURNS outdated
local beat, known = tonumber(meta_beat), tonumber(known_beat)
-- If the counter is one too low, Redis has lost only the writes since the last heartbeat. If the counter is even lower,
-- the queue must be rebuilt.
if epoch ~= '' and (epoch ~= meta_epoch or beat < known - 1) then return {'outdated'} end
local outcome = 'beats'
if beat < known then outcome = 'behind' end
redis.call('HSET', keys.meta, 'beat', beat + 1)
if pace ~= '' then redis.call('HSET', keys.meta, 'pace', pace) end
local stamp = next_stamp(keys, now)
local counters = {tonumber(meta_signed_up), tonumber(meta_left), tonumber(meta_admitted),
  tonumber(meta_entered), tonumber(meta_declined), tonumber(meta_no_shows)}
return {outcome, meta_epoch, tonumber(meta_epoch_start), beat + 1, stamp, counters}
