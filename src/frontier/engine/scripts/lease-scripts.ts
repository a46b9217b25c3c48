import { HAND, HEAD, INCARNATION, QUEUE, REQUEUE } from "./fragments.ts";

/**
 * claim: holder, lease in ms, order, the caller's token or ''. Answers claimed, token, 1 if another held it before;
 * empty; held, holder, ms left; quiet, ms left; frozen. A token is the number of the lease and the run of the engine that
 * gave it: after a rollback the same number may be given again, the same token not.
 */
export const CLAIM = `${HEAD}${INCARNATION}${QUEUE}${REQUEUE}
local holder, leaseMs, order, token = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local state = redis.call('HMGET', K, 'inserted', 'settled', 'holder', 'token', 'counter', 'exp', 'run', 'quiet', 'frozen', 'node')
if state[9] or isStray(state[7], state[10]) then return {'frozen'} end
local hasMail = redis.call('EXISTS', K .. ':in') == 1
local now = nowMs()
local run, quiet = noteRun(state[7], state[8], leaseMs, now)
if not state[1] and not hasMail then return {'empty'} end
local counter = tonumber(state[5] or '0')
if token ~= '' and state[4] == token and state[3] == holder then
  redis.call('HSET', K, 'exp', now + leaseMs)
  return {'claimed', token, 0}
end
if now < quiet then
  local before = tonumber(string.match(token, '^%d+') or '-1')
  if before < counter then return {'quiet', quiet - now} end
  redis.call('HSET', K, 'holder', holder, 'token', token, 'counter', before, 'exp', now + leaseMs)
  return {'claimed', token, 0}
end
local exp = tonumber(state[6] or '0')
-- Asked twice, because an answer was lost: the lease is the same.
if token == '' and state[3] == holder and exp > now then
  redis.call('HSET', K, 'exp', now + leaseMs)
  return {'claimed', state[4], 0}
end
if state[3] and state[3] ~= holder and exp > now then return {'held', state[3], exp - now} end
if not hasMail and state[1] == (state[2] or '0') then return {'empty'} end
requeue(order)
local mine = (counter + 1) .. '-' .. run
redis.call('HSET', K, 'holder', holder, 'token', mine, 'counter', counter + 1, 'exp', now + leaseMs)
return {'claimed', mine, counter > 0 and 1 or 0}
`;

/**
 * extract-top: token, lease in ms, order, hosts, URLs per host, 1 for everything the holder should know of, then host and URLs of each
 * refill. Answers extracted, hosts left that can be extracted, and for each host: host, note, pages of its site, 1 if
 * more waits, URLs, and for each URL: cash, record.
 */
export const EXTRACT = `${HEAD}${INCARNATION}
local token, leaseMs, order = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local state = redis.call('HMGET', K, 'token', 'frozen', 'run', 'node')
if state[1] ~= token then return {'lost'} end
if state[2] or isStray(state[3], state[4]) then return {'frozen'} end
redis.call('HSET', K, 'exp', nowMs() + leaseMs)
local answer = {'extracted', 0}
${HAND}
local function hand(host, count)
  local queue, urls, isCold = K .. ':q:' .. host, {}, false
  while #urls < 2 * count do
    local left = count - #urls / 2
    local got
    if order == 'opic' then
      got = redis.call('ZPOPMIN', queue, left)
      for i = 1, #got, 2 do
        local record = redis.call('HGET', K .. ':r', got[i])
        redis.call('HDEL', K .. ':r', got[i])
        if record then handOut(host, got[i], string.format('%.0f', -tonumber(got[i + 1])), record, urls) end
      end
    else
      got, isCold = popFirst(queue, order, left)
      for _, record in ipairs(got) do handOut(host, string.sub(record, 1, 8), '0', record, urls) end
    end
    if #got == 0 or isCold then break end
  end
  -- Until the block is unpacked nothing else of the host is handed out.
  local more = isCold and 0 or redis.call('EXISTS', queue)
  if more == 1 or isCold then redis.call('SADD', K .. ':e', host) else redis.call('SREM', K .. ':e', host) end
  redis.call('ZREM', K .. ':h', host)
  tell(answer, host, urls, more)
end
if ARGV[6] == '1' then
  local byHost = {}
  local out = redis.call('HGETALL', K .. ':o')
  for i = 1, #out, 2 do
    local value = out[i + 1]
    local a = string.find(value, ' ', 1, true)
    local b = string.find(value, ' ', a + 1, true)
    local host = string.sub(value, a + 1, b - 1)
    byHost[host] = byHost[host] or {}
    local urls = byHost[host]
    urls[#urls + 1] = string.sub(value, 1, a - 1)
    urls[#urls + 1] = string.sub(value, b + 1)
  end
  -- Also hosts of which nothing is out: after a rollback the holder does not know that more of them waits.
  for _, host in ipairs(redis.call('SMEMBERS', K .. ':e')) do byHost[host] = byHost[host] or {} end
  for host, urls in pairs(byHost) do tell(answer, host, urls, redis.call('EXISTS', K .. ':q:' .. host)) end
end
for i = 7, #ARGV, 2 do hand(ARGV[i], tonumber(ARGV[i + 1])) end
local hosts = tonumber(ARGV[4])
if hosts > 0 then
  for _, host in ipairs(redis.call('ZRANGE', K .. ':h', 0, hosts - 1)) do hand(host, tonumber(ARGV[5])) end
end
answer[2] = redis.call('ZCARD', K .. ':h')
return answer
`;

/**
 * counts: producer, lease in ms. Answers inserted, settled, its last number, 1 unless the engine began a new run less than one
 * lease ago or the partition is being moved (who sees a new run first notes it, as claim does), blocks that were posted and
 * that wait, and the run.
 */
export const COUNTS = `${HEAD}${INCARNATION}
local state = redis.call('HMGET', K, 'inserted', 'settled', 'n:' .. ARGV[1], 'run', 'quiet', 'frozen', 'node', 'posted')
local now, isSure = nowMs(), 1
if state[6] or isStray(state[4], state[7]) then return {0, 0, 0, 0, 0, 0, ''} end
local run, quiet = noteRun(state[4], state[5], tonumber(ARGV[2]), now)
if now < quiet then isSure = 0 end
local posted = tonumber(state[8] or '0')
local unread = posted > 0 and redis.call('LLEN', K .. ':in') or 0
return {tonumber(state[1] or '0'), tonumber(state[2] or '0'), tonumber(state[3] or '0'), isSure, posted, unread, run}
`;

/** keep: name, bytes. Whoever has the partition next can read them; while it is moved nothing is kept. */
export const KEEP = `${HEAD}${INCARNATION}
local state = redis.call('HMGET', K, 'frozen', 'run', 'node')
if state[1] or isStray(state[2], state[3]) then return {'frozen'} end
redis.call('HSET', K .. ':k', ARGV[1], ARGV[2])
return {'kept'}
`;

/** release: token, order. What is not settled waits again, for anybody. */
export const RELEASE = `${HEAD}${INCARNATION}${QUEUE}${REQUEUE}
local state = redis.call('HMGET', K, 'token', 'frozen', 'run', 'node')
if state[1] ~= ARGV[1] then return {'lost'} end
if state[2] or isStray(state[3], state[4]) then return {'frozen'} end
requeue(ARGV[2])
redis.call('HDEL', K, 'holder', 'token', 'exp')
return {'released'}
`;

/**
 * fence: holder, order. A lease that has run out ends, and nothing that its holder sends is accepted any more; answers how many
 * pages it settled, -1 if frozen, -2 if its lease is valid: whoever takes it for dead has not heard of it lately.
 */
export const FENCE = `${HEAD}${INCARNATION}${QUEUE}${REQUEUE}
local state = redis.call('HMGET', K, 'frozen', 'run', 'node', 'holder', 'exp')
if state[1] or isStray(state[2], state[3]) then return -1 end
if state[4] == ARGV[1] then
  if tonumber(state[5] or '0') > nowMs() then return -2 end
  requeue(ARGV[2])
  redis.call('HDEL', K, 'holder', 'token', 'exp')
end
return tonumber(redis.call('HGET', K, 'p:' .. ARGV[1]) or '0')
`;
