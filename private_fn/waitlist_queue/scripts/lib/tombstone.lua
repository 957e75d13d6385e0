-- NEEDS tickets

-- A tombstone marks a signup that has ended, so that a late message cannot bring the entry back. The tombstone must
-- last longer than such a message can be delayed.
local TOMBSTONE_SECONDS = 900
local TRIMMED_AT_ONCE = 16

-- Returns the logical timestamp at which a signup ended, or nil if it has not ended.
local function tombstone_of(keys, entry_id, join_id)
  return tonumber(redis.call('ZSCORE', keys.tombstones, entry_id .. ':' .. join_id))
end

-- Marks a signup as ended by adding a tombstone. If `ticket` is given, the tombstone is stored with the ticket, so that
-- the answer to a repeated request can contain the ticket.
local function add_tombstone(keys, entry_id, join_id, stamp, ticket)
  local stay = entry_id .. ':' .. join_id
  redis.call('ZADD', keys.tombstones, stamp, stay)
  if ticket then redis.call('ZADD', keys.tombstones, stamp, string.format('%s:%d', stay, ticket)) end
  local old = redis.call('ZRANGEBYSCORE', keys.tombstones, '-inf',
    stamp - TOMBSTONE_SECONDS * TICKETS_PER_SECOND, 'LIMIT', 0, TRIMMED_AT_ONCE)
  if #old > 0 then redis.call('ZREM', keys.tombstones, unpack(old)) end
  redis.call('EXPIRE', keys.tombstones, TOMBSTONE_SECONDS)
end

-- Returns the ticket that is stored with a tombstone, or false if no ticket is stored.
local function ticket_of_tombstone(keys, entry_id, join_id, stamp)
  local _, second = unpack(redis.call('ZRANGEBYSCORE', keys.tombstones, stamp, stamp, 'LIMIT', 0, 2))
  return second and tonumber(string.sub(second, #entry_id + #join_id + 3)) or false
end
