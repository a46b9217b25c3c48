import { HAND, HEAD, HEARD, INCARNATION, INSERT_LINKS, QUEUE, SEEN } from "./fragments.ts";

/**
 * step: token, lease in ms, order, holder, step, URLs, URLs per host, least cash, level, then hosts that are left out.
 * Takes in the blocks of earlier steps, then extracts the best URLs, host by host, as long as they are worth the least
 * cash. Answers stepped, hosts left, cash of the best page left, then of what was taken in: blocks, links, new ones, late
 * credits of the holder's own blocks and of others', pages that others lifted to the level; then hosts as extract-top does.
 */
export const STEP = `${HEAD}${INCARNATION}
local token, leaseMs, order, holder, step = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5])
local wanted, perHost, floor, level = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local state = redis.call('HMGET', K, 'token', 'frozen', 'run', 'node')
if state[1] ~= token then return {'lost'} end
if state[2] or isStray(state[3], state[4]) then return {'frozen'} end
redis.call('HSET', K, 'exp', nowMs() + leaseMs)
${SEEN}${QUEUE}${INSERT_LINKS}${HAND}
local blocks, links, fresh, lateOwn, lateForeign, missed = 0, 0, 0, 0, 0, 0
while true do
  local entry = redis.call('LINDEX', K .. ':in', 0)
  local block = entry and cmsgpack.unpack(entry)
  if not block or tonumber(block[2]) >= step then break end
  local counts = insertLinks(order, block, 3, level)
  redis.call('LPOP', K .. ':in')
  blocks, links, fresh = blocks + 1, links + counts.links, fresh + counts.fresh
  if block[1] == holder then lateOwn = lateOwn + counts.late
  else lateForeign, missed = lateForeign + counts.late, missed + counts.lifted end
end
local full, skipped = {}, #ARGV - 9
for i = 10, #ARGV do full[ARGV[i]] = true end
-- The first host that is not left out, and up to which score its pages come before those of the one behind it.
local function first()
  local host, score
  local hosts = redis.call('ZRANGE', K .. ':h', 0, skipped + 1, 'WITHSCORES')
  for i = 1, #hosts, 2 do
    if not full[hosts[i]] then
      if host then
        local following = tonumber(hosts[i + 1])
        if following > -floor then break end
        return host, score, (host < hosts[i] and '' or '(') .. string.format('%.0f', following)
      end
      host, score = hosts[i], tonumber(hosts[i + 1])
    end
  end
  return host, score, string.format('%.0f', -floor)
end
local names, urlsOf, taken = {}, {}, 0
while taken < wanted do
  local host, score, worst = first()
  if not host or (order == 'opic' and -score < floor) then break end
  if not urlsOf[host] then
    names[#names + 1] = host
    urlsOf[host] = {}
  end
  local queue, urls = K .. ':q:' .. host, urlsOf[host]
  local before = #urls
  local count = math.min(wanted - taken, perHost - before / 2)
  if order == 'opic' then
    local got = redis.call('ZRANGE', queue, '-inf', worst, 'BYSCORE', 'LIMIT', 0, count, 'WITHSCORES')
    for i = 1, #got, 2 do
      redis.call('ZREM', queue, got[i])
      local record = redis.call('HGET', K .. ':r', got[i])
      redis.call('HDEL', K .. ':r', got[i])
      if record then handOut(host, got[i], string.format('%.0f', -tonumber(got[i + 1])), record, urls) end
    end
    local best = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    if best[2] then redis.call('ZADD', K .. ':h', best[2], host) else redis.call('ZREM', K .. ':h', host) end
  else
    local got, isCold = popFirst(queue, order, count)
    for _, record in ipairs(got) do handOut(host, string.sub(record, 1, 8), '0', record, urls) end
    if isCold then
      -- Until the block is unpacked nothing else of the host is handed out.
      redis.call('ZREM', K .. ':h', host)
      redis.call('SADD', K .. ':e', host)
    elseif redis.call('EXISTS', queue) == 0 then redis.call('ZREM', K .. ':h', host)
    elseif order == 'bfs' then redis.call('ZADD', K .. ':h', turn(), host) end
  end
  taken = taken + (#urls - before) / 2
  if #urls >= 2 * perHost then
    full[host] = true
    skipped = skipped + 1
  end
end
local _, best = first()
local answer = {'stepped', redis.call('ZCARD', K .. ':h'), string.format('%.0f', order == 'opic' and best and -best or 0)}
for _, value in ipairs({blocks, links, fresh, lateOwn, lateForeign, missed}) do answer[#answer + 1] = value end
for _, host in ipairs(names) do tell(answer, host, urlsOf[host], 0) end
return answer
`;

/**
 * arrive: holder, step, lease in ms, work, then partitions that it sent blocks to. The barrier of a step opens when every
 * member that has given a sign of life within one lease is there. Answers the step that may begin, how many are waited
 * for, and of the last step its balance in thousandths and the partitions that have blocks. Who comes first calls the
 * others (+step), who comes last tells them that it is open (-step).
 */
export const ARRIVE = `${HEAD}${INCARNATION}${HEARD}
local S, holder, step, leaseMs, work = K .. ':steps', ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now = nowMs()
local current = tonumber(redis.call('HGET', S, 'step') or '1')
if step > current then
  -- The engine has lost its last writes.
  current = step
  redis.call('HSET', S, 'step', step, 'sum', 0, 'most', 0)
  redis.call('DEL', S .. ':at', S .. ':mail')
end
local waits = 0
if step == current then
  if redis.call('SADD', S .. ':at', holder) == 1 then
    for i = 5, #ARGV do redis.call('SADD', S .. ':mail', ARGV[i]) end
    redis.call('HINCRBY', S, 'sum', work)
    if work > tonumber(redis.call('HGET', S, 'most') or '0') then redis.call('HSET', S, 'most', work) end
    if redis.call('SCARD', S .. ':at') == 1 then redis.call('PUBLISH', K .. ':step', step) end
  end
  local members = redis.call('HGETALL', K .. ':members')
  local _, since = heardSince(now)
  for i = 1, #members, 2 do
    local heard = math.max(since, tonumber(string.match(members[i + 1], '^%d+')))
    if now - heard <= leaseMs and redis.call('SISMEMBER', S .. ':at', members[i]) == 0 then waits = waits + 1 end
  end
  if waits == 0 then
    local most = tonumber(redis.call('HGET', S, 'most') or '0')
    local mean = tonumber(redis.call('HGET', S, 'sum') or '0') / redis.call('SCARD', S .. ':at')
    local mail = redis.call('SMEMBERS', S .. ':mail')
    current = step + 1
    redis.call('HSET', S, 'step', current, 'balance', most == 0 and 1000 or math.floor(1000 * mean / most),
      'mail', table.concat(mail, ' '), 'sum', 0, 'most', 0)
    redis.call('DEL', S .. ':at', S .. ':mail')
    redis.call('PUBLISH', K .. ':step', -step)
  end
end
return {current, waits, tonumber(redis.call('HGET', S, 'balance') or '1000'), redis.call('HGET', S, 'mail') or ''}
`;
