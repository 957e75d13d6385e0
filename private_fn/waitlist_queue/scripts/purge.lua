-- purge: forgets a waitlist's order.
-- KEYS meta queue gone moved held claims parked tries unsettled decided segments tags crowds
-- RETURNS purged
local meta_key = KEYS[1]
local queue_key = KEYS[2]
local gone_key = KEYS[3]
local moved_key = KEYS[4]
local held_key = KEYS[5]
local claims_key = KEYS[6]
local parked_key = KEYS[7]
local tries_key = KEYS[8]
local unsettled_key = KEYS[9]
local decided_key = KEYS[10]
local segments_key = KEYS[11]
local tags_key = KEYS[12]
local crowds_key = KEYS[13]

redis.call('UNLINK', meta_key, queue_key, gone_key, moved_key, held_key, claims_key, parked_key,
  tries_key, unsettled_key, decided_key, segments_key, tags_key, crowds_key)
return {'purged'}
