/*
 * Parts that several scripts share. K is the base of the partition, and itself the hash of its counters:
 *
 *   K        inserted settled pages late abandoned seen buckets turn  holder token counter exp  run node quiet  frozen
 *            n:<producer> (last block)  l:<producer> <token> (first block that came too late)  p:<holder> (pages settled)
 *   K:s:<i>  fingerprints that are known, bucket i of linear hashing, an integer set of at most 512
 *   K:q:<h>  what waits of host h: a list of records, or by cash a sorted set of fingerprints with K:r fingerprint -> record
 *   K:h      hosts that have something waiting and that the holder does not work on, by turn or by their best page
 *   K:e      hosts that the holder works on and that have more waiting
 *   K:o      what is out with the holder: fingerprint -> cash, host, record
 *   K:in     blocks of a crawl in supersteps that no step has taken in, packed as they came: producer, step, hosts and links
 *   K:g      fingerprints that wait but were settled (only after a rollback): skipped when their turn comes
 *   K:k      what is kept with hosts by name: robots.txt of origins
 *   K:n      notes of hosts; K:hs site of each host and K:sp pages of each site (only with a budget); K:ab given up
 */

/** Every script begins with it. The flags say that none may start when memory is full, so none stops half-way. */
export const HEAD = `#!lua
local K = KEYS[1]
local function nowMs()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
`;

/**
 * Which life of which server this is: `run` changes when a server restarts or another one takes over, and its second half
 * is the history of data that a replica shares with its master. `node` is the server's name in a cluster, else ''.
 */
export const INCARNATION = `
local function incarnation()
  local info = redis.call('INFO', 'server', 'replication')
  local function head(name)
    return string.sub(string.match(info, '[\\r\\n]' .. name .. ':(%x+)'), 1, 12)
  end
  local node = string.find(info, '_mode:cluster', 1, true) and redis.call('CLUSTER', 'MYID') or ''
  return head('run_id') .. head('master_replid'), node, head('master_replid2')
end
-- True when another tool moves the partition while it is in use. Where it leaves, keys that are not there cannot be asked
-- for; where it arrives, another server has it than noted, which only a replica that took over may be. Nothing is written.
local function isStray(run, node)
  if not node or node == '' then return false end
  if redis.call('CLUSTER', 'MYID') == node then
    local probe = redis.pcall('EXISTS', K .. ':-')
    return type(probe) == 'table' and probe.err ~= nil
  end
  local _, here, before = incarnation()
  if before == string.sub(run, 13) then
    redis.call('HSET', K, 'node', here)
    return false
  end
  redis.call('HSET', K, 'frozen', 'moved')
  return true
end
-- The first who sees a new life closes the partition for one lease; so it is for one that has forgotten its last life.
local function noteRun(run, quiet, leaseMs, now)
  local here, node = incarnation()
  if run == here then return here, tonumber(quiet or '0') end
  redis.call('HSET', K, 'run', here, 'node', node, 'quiet', now + leaseMs)
  return here, now + leaseMs
end
`;

/**
 * Since when members can have been heard: while a server was away nobody could give a sign of life, so a new run counts
 * silence from its own beginning. Otherwise the first who comes back would take all others for dead. K is the crawl.
 */
export const HEARD = `
local function heardSince(now)
  local noted = redis.call('HMGET', K, 'heardRun', 'heardSince')
  local run = incarnation()
  if noted[1] == run then return run, tonumber(noted[2]) end
  redis.call('HSET', K, 'heardRun', run, 'heardSince', now)
  return run, now
end
`;

/** Which bucket of the known fingerprints a decimal belongs to, and adding one. */
export const SEEN = `
local known = redis.call('HMGET', K, 'buckets', 'seen')
local buckets, seen = tonumber(known[1] or '1'), tonumber(known[2] or '0')
local function bucketOf(decimal, count)
  local hash = math.abs(tonumber(string.sub(decimal, -9)))
  local half = 1
  while half * 2 <= count do half = half * 2 end
  local at = hash % (half * 2)
  if at >= count then at = hash % half end
  return K .. ':s:' .. at
end
local function isSeen(decimal)
  return redis.call('SISMEMBER', bucketOf(decimal, buckets), decimal) == 1
end
-- At most 200 on average: before it is split a bucket has twice as many, and above 512 it would be no integer set.
local function split()
  while seen > buckets * 200 do
    local half = 1
    while half * 2 <= buckets do half = half * 2 end
    local from, to = K .. ':s:' .. (buckets - half), K .. ':s:' .. buckets
    local moved = {}
    for _, decimal in ipairs(redis.call('SMEMBERS', from)) do
      if bucketOf(decimal, buckets + 1) == to then moved[#moved + 1] = decimal end
    end
    -- Added before it is removed: repeated, it ends the same.
    if #moved > 0 then
      redis.call('SADD', to, unpack(moved))
      redis.call('SREM', from, unpack(moved))
    end
    buckets = buckets + 1
    redis.call('HSET', K, 'buckets', buckets)
  end
end
local function addSeen(decimal)
  redis.call('SADD', bucketOf(decimal, buckets), decimal)
  seen = seen + 1
  split()
end
`;

/** Waiting URLs: putting one in, and letting its host be found. */
export const QUEUE = `
local function turn()
  return redis.call('HINCRBY', K, 'turn', 1)
end
local function showHost(host, order, score)
  if redis.call('SISMEMBER', K .. ':e', host) == 1 then return end
  if order == 'opic' then redis.call('ZADD', K .. ':h', 'LT', score, host)
  elseif order == 'dfs' then redis.call('ZADD', K .. ':h', -turn(), host)
  else redis.call('ZADD', K .. ':h', 'NX', turn(), host) end
end
local function put(host, order, record, cash, isFirst)
  if order == 'opic' then
    local id = string.sub(record, 1, 8)
    redis.call('HSET', K .. ':r', id, record)
    redis.call('ZADD', K .. ':q:' .. host, -cash, id)
  elseif isFirst and order == 'bfs' then redis.call('LPUSH', K .. ':q:' .. host, record)
  else redis.call('RPUSH', K .. ':q:' .. host, record) end
end
`;

/**
 * Taking in links, with SEEN and QUEUE: for each host: host, site or '', links, and for each link: decimal, credit,
 * bonus, record. Counts links, new ones, credits for pages that no longer wait, and pages that came up to `level`.
 */
export const INSERT_LINKS = `
local function insertLinks(order, args, from, level)
  local counts = {links = 0, fresh = 0, late = 0, lifted = 0}
  local i = from
  while i <= #args do
    local host, site, links = args[i], args[i + 1], tonumber(args[i + 2])
    i = i + 3
    local new, best = 0, nil
    for at = i, i + 4 * (links - 1), 4 do
      local decimal, credit, record = args[at], tonumber(args[at + 1]), args[at + 3]
      if not isSeen(decimal) then
        local cash = credit + tonumber(args[at + 2])
        -- Known last: repeated after a fault it would wait twice, which is told apart later, and never be missing.
        put(host, order, record, cash, false)
        addSeen(decimal)
        new = new + 1
        if cash >= level then counts.lifted = counts.lifted + 1 end
        if not best or -cash < best then best = -cash end
      elseif order == 'opic' and credit > 0 then
        local id = string.sub(record, 1, 8)
        if redis.call('ZSCORE', K .. ':q:' .. host, id) then
          local score = tonumber(redis.call('ZINCRBY', K .. ':q:' .. host, -credit, id))
          if -score >= level and -score - credit < level then counts.lifted = counts.lifted + 1 end
          if not best or score < best then best = score end
        else counts.late = counts.late + 1 end
      end
    end
    i = i + 4 * links
    counts.links = counts.links + links
    counts.fresh = counts.fresh + new
    if best then showHost(host, order, best) end
    if new > 0 and site ~= '' then redis.call('HSET', K .. ':hs', host, site) end
  end
  if counts.fresh > 0 then
    redis.call('HINCRBY', K, 'inserted', counts.fresh)
    redis.call('HSET', K, 'seen', seen)
  end
  if counts.late > 0 then redis.call('HINCRBY', K, 'lateCredits', counts.late) end
  return counts
end
`;

/** Handing out: what a host is told with its URLs, and noting that a URL is out. */
export const HAND = `
local hasGone = redis.call('EXISTS', K .. ':g') == 1
local function isGone(id)
  return hasGone and redis.call('SREM', K .. ':g', id) == 1
end
local function tell(answer, host, urls, more)
  local note = redis.call('HGET', K .. ':n', host)
  local site = redis.call('HGET', K .. ':hs', host)
  local pages = site and redis.call('HGET', K .. ':sp', site)
  for _, value in ipairs({host, note or '', pages or '0', more, #urls / 2}) do answer[#answer + 1] = value end
  for _, value in ipairs(urls) do answer[#answer + 1] = value end
end
-- A block of links that a worker has compressed; cold-scripts.ts.
local function isPacked(record)
  return (string.byte(record, 9) or 0) % 16 == 15
end
-- Takes from a list. Behind a packed block nothing is taken, because its links come first.
local function popFirst(queue, order, count)
  local got = redis.call(order == 'dfs' and 'RPOP' or 'LPOP', queue, count) or {}
  for i, record in ipairs(got) do
    if isPacked(record) then
      for back = #got, i + 1, -1 do
        redis.call(order == 'dfs' and 'RPUSH' or 'LPUSH', queue, got[back])
        got[back] = nil
      end
      return got, true
    end
  end
  return got, false
end
local function handOut(host, id, cash, record, urls)
  if not isPacked(record) and isGone(id) then return end
  redis.call('HSET', K .. ':o', id, cash .. ' ' .. host .. ' ' .. record)
  urls[#urls + 1] = cash
  urls[#urls + 1] = record
end
`;

/** Everything that is out, and every host that the holder works on, waits again; what was taken first comes first. */
export const REQUEUE = `
local function requeue(order)
  local out = redis.call('HGETALL', K .. ':o')
  for i = 1, #out, 2 do
    local value = out[i + 1]
    local a = string.find(value, ' ', 1, true)
    local b = string.find(value, ' ', a + 1, true)
    local cash, host = tonumber(string.sub(value, 1, a - 1)), string.sub(value, a + 1, b - 1)
    put(host, order, string.sub(value, b + 1), cash, true)
    redis.call('HDEL', K .. ':o', out[i])
    showHost(host, order, -cash)
  end
  local engaged = redis.call('SMEMBERS', K .. ':e')
  redis.call('DEL', K .. ':e')
  for _, host in ipairs(engaged) do
    local queue = K .. ':q:' .. host
    if redis.call('EXISTS', queue) == 1 then
      local best = 0
      if order == 'opic' then best = tonumber(redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')[2]) end
      showHost(host, order, best)
    end
  end
end
`;
