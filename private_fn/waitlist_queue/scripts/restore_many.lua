-- restore_many: Restores waiting entries in Redis at the places in their records. An entry that Redis already has keeps
-- its place.
-- PRELUDE cold stale_epoch stale_segments
-- NEEDS int_text places ranks readiness reasons restoring segments tickets waiting
-- ARGV epoch segments_version stays
-- `stays` contains one text for each entry, separated by spaces. `_pack_waiting_stay` in `arguments.py` creates these
-- texts.
-- RETURNS restored restored present gone

local function append_pair(values, first, second)
  values[#values + 1], values[#values + 2] = first, second
end

local names, ids, ranks, tickets, stamps, attempts_of, tags = {}, {}, {}, {}, {}, {}, {}
local readiness, any_readiness = {}, ''
local stay = '((%w+):%w+):(-?%d+):(%d+):(%d+):(%d+):([^:]*):(%S*)'
for name, entry_id, rank, ticket, known_stamp, attempts, why, packed in string.gmatch(stays, stay) do
  local n = #ids + 1
  -- The text "entry_id:join_id" is also the name of the tombstone.
  names[n], ids[n], ranks[n], tickets[n], stamps[n] = name, entry_id, rank, ticket, known_stamp
  attempts_of[n], tags[n] = attempts, segments_version ~= '0' and packed
  readiness[n] = why
  if why ~= '' then any_readiness = why end
end
use_readiness(keys, meta_not_ready, any_readiness)
local tombstones = redis.call('ZMSCORE', keys.tombstones, unpack(names))
local queue_ranks = redis.call('ZMSCORE', keys.queue, unpack(ids))
local passed_ranks = keys.not_ready and redis.call('ZMSCORE', keys.not_ready, unpack(ids)) or {}
local holds = redis.call('HMGET', keys.claims, unpack(ids))
local newest, counts = tonumber(meta_last_ticket), {restored = 0, present = 0, gone = 0}
local ready, passed_over, unverified, taken, unmoved, moved, with_attempts = {}, {}, {}, {}, {}, {}, {}

local function write_ranks()
  if #ready > 0 then redis.call('ZADD', keys.queue, unpack(ready)) end
  if #passed_over > 0 then redis.call('ZADD', keys.not_ready, unpack(passed_over)) end
  if #unverified > 0 then redis.call('ZADD', keys.unverified, unpack(unverified)) end
  ready, passed_over, unverified = {}, {}, {}
end

local function put_back(n, entry_id, rank, ticket)
  if taken[rank] or count_between(keys, rank, rank) > 0 then
    write_ranks()
    rank = int_text(free_rank(keys, entry_id, tonumber(rank)) or rank)
  end
  taken[rank] = true
  if readiness[n] ~= '' then accept_readiness(keys, entry_id, readiness[n], true) end
  append_pair(has_reason(readiness[n]) and passed_over or ready, rank, entry_id)
  if is_unverified(readiness[n]) then append_pair(unverified, rank, entry_id) end
  if rank % TIER == tonumber(ticket) then
    append_pair(unmoved, entry_id)
  else
    append_pair(moved, entry_id, ticket)
  end
  if attempts_of[n] ~= '0' then append_pair(with_attempts, entry_id, attempts_of[n]) end
  if tags[n] then reindex(keys, entry_id, tags[n], tonumber(rank), true) end
end

for n, entry_id in ipairs(ids) do
  local is_present = queue_ranks[n] or passed_ranks[n] or holds[n]
  local outcome = tombstones[n] and 'gone' or is_present and 'present' or 'restored'
  counts[outcome] = counts[outcome] + 1
  if outcome ~= 'gone' then newest = math.max(newest, tonumber(stamps[n])) end
  if outcome == 'restored' then put_back(n, entry_id, ranks[n], tickets[n]) end
  if outcome == 'present' and (tags[n] or keys.not_ready) then
    restore_edits(keys, entry_id, tags[n], readiness[n], tonumber(tickets[n]), place_of(keys, entry_id))
  end
end
write_ranks()
if #unmoved > 0 then redis.call('HDEL', keys.tickets_of_moved, unpack(unmoved)) end
if #moved > 0 then redis.call('HSET', keys.tickets_of_moved, unpack(moved)) end
if #with_attempts > 0 then redis.call('HSET', keys.attempts, unpack(with_attempts)) end
stay_later_than(keys, meta_last_ticket, newest)
return {'restored', counts.restored, counts.present, counts.gone}
