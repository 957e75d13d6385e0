-- count: adds to the counters what Redis has lost of them.
-- USES counters
-- KEYS meta
-- ARGV epoch signed_up left admitted
-- RETURNS counted
-- RETURNS cold | stale_epoch
local meta_key = KEYS[1]
local epoch = ARGV[1]
local signed_up = ARGV[2]
local left = ARGV[3]
local admitted = ARGV[4]

local known_epoch = redis.call('HGET', meta_key, 'epoch')
if not known_epoch then return {'cold'} end
if known_epoch ~= epoch then return {'stale_epoch'} end
add_to_counters(meta_key, signed_up, left, admitted)
return {'counted'}
