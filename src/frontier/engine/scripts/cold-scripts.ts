import { HAND, HEAD, INCARNATION, QUEUE } from "./fragments.ts";

/*
 * Long queues of an engine that is short of memory (`--engine-memory`): a worker compresses links that will not be taken
 * for long into one element of the list, at their place. Scripts only move such blocks. When one's turn comes it is
 * handed out like a link, the holder unpacks it, and its links stand at the front again, in their order.
 */

/**
 * chill: token, order, links that stay as they are, links of a block, least links of one, then pairs of host and where the
 * last look at its queue ended. Answers cold, host, place of the first link, and links; or nothing.
 */
export const CHILL = `${HEAD}${INCARNATION}
local order, keep, most, least = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local state = redis.call('HMGET', K, 'token', 'frozen', 'run', 'node')
if state[1] ~= ARGV[1] or state[2] or isStray(state[3], state[4]) then return {'nothing'} end
local known = {}
for i = 6, #ARGV, 2 do known[ARGV[i]] = tonumber(ARGV[i + 1]) end
local hosts = redis.call('SMEMBERS', K .. ':e')
for _, host in ipairs(redis.call('ZREVRANGE', K .. ':h', 0, 255)) do hosts[#hosts + 1] = host end
for _, host in ipairs(hosts) do
  local queue = K .. ':q:' .. host
  -- What is taken next is at the front, or with dfs at the end.
  local from = known[host] or (order == 'dfs' and 0 or keep)
  local room = redis.call('LLEN', queue) - from - (order == 'dfs' and keep or 0)
  if room >= least then
    local links = redis.call('LRANGE', queue, from, from + math.min(room, most) - 1)
    table.insert(links, 1, from)
    table.insert(links, 1, host)
    table.insert(links, 1, 'cold')
    return links
  end
end
return {'nothing'}
`;

/** pack: token, host, place, links, the first and the last link, the block. Answers packed, or moved when they are not there. */
export const PACK = `${HEAD}${INCARNATION}
local queue, from, count = K .. ':q:' .. ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local state = redis.call('HMGET', K, 'token', 'frozen', 'run', 'node')
if state[1] ~= ARGV[1] or state[2] or isStray(state[3], state[4]) then return {'moved'} end
if redis.call('LINDEX', queue, from) ~= ARGV[5] or redis.call('LINDEX', queue, from + count - 1) ~= ARGV[6] then
  return {'moved'}
end
-- Links are never empty.
for i = 1, count - 1 do redis.call('LSET', queue, from + i, '') end
redis.call('LSET', queue, from, ARGV[7])
redis.call('LREM', queue, count - 1, '')
redis.call('HINCRBY', K, 'packed', count)
redis.call('HINCRBY', K, 'packs', 1)
return {'packed'}
`;

/** unpack: token, order, host, id of the block, its links. They stand at the front again. Answers unpacked, or lost. */
export const UNPACK = `${HEAD}${INCARNATION}${QUEUE}${HAND}
local order, host, id = ARGV[2], ARGV[3], ARGV[4]
if redis.call('HGET', K, 'token') ~= ARGV[1] then return {'lost'} end
local out = redis.call('HGET', K .. ':o', id)
-- A link that has the id of its block is out when the block was unpacked before.
if out and isPacked(string.sub(out, string.find(out, ' ', string.find(out, ' ', 1, true) + 1, true) + 1)) then
  if order == 'dfs' then for i = 5, #ARGV do redis.call('RPUSH', K .. ':q:' .. host, ARGV[i]) end
  else for i = #ARGV, 5, -1 do redis.call('LPUSH', K .. ':q:' .. host, ARGV[i]) end end
  redis.call('HDEL', K .. ':o', id)
  redis.call('SREM', K .. ':e', host)
  showHost(host, order, 0)
  redis.call('HINCRBY', K, 'packed', 4 - #ARGV)
end
return {'unpacked'}
`;
