-- Makes the next poll trigger a run of the admission policy, because another customer can be admitted.
local function wake(keys)
  if redis.call('HEXISTS', keys.meta, 'admit_at') == 1 then
    redis.call('HSET', keys.meta, 'admit_at', 0)
  end
end
