-- beat: counts a run of maintenance; a number that has gone back tells that Redis has lost writes.
-- USES home clock ticket draw
-- KEYS meta
-- ARGV epoch known_beat now here
-- RETURNS beats epoch born beat stamp signed_up left admitted
-- RETURNS behind epoch born beat stamp signed_up left admitted
-- RETURNS cold | rebuilding | outdated

local meta = redis.call('HMGET', keys.meta, 'state', 'epoch', 'beat', 'signed_up', 'left',
  'admitted', 'born', 'home')
if not at_home(meta[1], meta[8], here) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
local beat, known = tonumber(meta[3] or 0), tonumber(known_beat)
-- One beat may be lost with what came just before it; who lacks two lacks a whole interval.
if epoch ~= '' and (epoch ~= meta[2] or beat < known - 1) then return {'outdated'} end
local outcome = 'beats'
if beat < known then outcome = 'behind' end
redis.call('HSET', keys.meta, 'beat', beat + 1)
local stamp = draw(keys, now)
return {outcome, meta[2], tonumber(meta[7] or stamp), beat + 1, stamp, tonumber(meta[4]),
  tonumber(meta[5]), tonumber(meta[6])}
