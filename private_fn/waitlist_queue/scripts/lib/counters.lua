-- Counts what went uncounted: before the order was rebuilt, or what Redis has lost since.
local function add_to_counters(meta_key, signed_up, left, admitted)
  redis.call('HINCRBY', meta_key, 'signed_up', signed_up)
  redis.call('HINCRBY', meta_key, 'left', left)
  redis.call('HINCRBY', meta_key, 'admitted', admitted)
end
