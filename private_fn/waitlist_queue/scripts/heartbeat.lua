-- heartbeat: counts a run of maintenance. A count that went back shows that Redis has lost writes.
-- It keeps the list's pace for polls, unless the caller gives none.
-- USES owner clock ticket next_stamp
-- KEYS meta
-- ARGV epoch known_heartbeat pace now server_run_id
-- RETURNS beats epoch born beat stamp counters | behind epoch born beat stamp counters
-- EACH counters signed_up left admitted entered declined no_shows
-- RETURNS cold | rebuilding | outdated
local meta = redis.call('HMGET', keys.meta, 'state', 'epoch', 'beat', 'signed_up', 'left',
  'admitted', 'born', 'home', 'entered', 'declined', 'no_shows')
if not owned_state(meta[1], meta[8], server_run_id) then return {'cold'} end
if meta[1] == 'hydrating' then return {'rebuilding'} end
local beat, known = tonumber(meta[3] or 0), tonumber(known_heartbeat)
-- One heartbeat may be lost with the writes just before it; if two are missing, a whole interval is.
if epoch ~= '' and (epoch ~= meta[2] or beat < known - 1) then return {'outdated'} end
local outcome = 'beats'
if beat < known then outcome = 'behind' end
redis.call('HSET', keys.meta, 'beat', beat + 1)
if pace ~= '' then redis.call('HSET', keys.meta, 'pace', pace) end
local stamp = next_stamp(keys, now)
local counters = {tonumber(meta[4]), tonumber(meta[5]), tonumber(meta[6]),
  tonumber(meta[9] or 0), tonumber(meta[10] or 0), tonumber(meta[11] or 0)}
return {outcome, meta[2], tonumber(meta[7] or stamp), beat + 1, stamp, counters}
