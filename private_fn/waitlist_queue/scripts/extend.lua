-- extend: gives a hold more time from now on (a heartbeat).
-- USES home clock ticket draw aside proof
-- KEYS meta held claims unsettled
-- ARGV entry_id token lease_seconds now here
-- RETURNS extended stamp deadline rank ticket attempts
-- RETURNS cold | rebuilding | not_held | claim_mismatch | claim_expired
local meta_key = KEYS[1]
local held_key = KEYS[2]
local claims_key = KEYS[3]
local unsettled_key = KEYS[4]
local entry_id = ARGV[1]
local token = ARGV[2]
local lease_seconds = ARGV[3]
local now = ARGV[4]
local here = ARGV[5]

local meta = redis.call('HMGET', meta_key, 'state', 'lease_seconds', 'home', 'mending')
if not at_home(meta[1], meta[3], here) then return {'cold'} end
-- A server that has taken over may lack the newest, and lend a token that is not good any more.
if meta[4] == '1' then return {'rebuilding'} end
local note, refusal = check_hold({held = held_key, claims = claims_key}, entry_id, token, now)
if refusal == 'completed' then return {'not_held'} end
if not note then return {refusal} end
if lease_seconds == '' then lease_seconds = meta[2] end
local deadline = math.floor(micros(now) / 1000) + tonumber(lease_seconds) * 1000
note.stamp = draw(meta_key, now)
redis.call('ZADD', held_key, deadline, entry_id)
write_note(claims_key, entry_id, note)
unsettle(unsettled_key, entry_id, note.stamp)
return {'extended', note.stamp, deadline, note.rank, note.ticket, note.attempts}
