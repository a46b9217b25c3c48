import { HEAD, HEARD, INCARNATION } from "./fragments.ts";

/*
 * What the crawl has once. K is its base:
 *
 *   K          settings: version, config, created (engine's clock), partitions, order, seedLow, seedHigh; heardRun, heardSince
 *   K:members  holder -> time of its last sign, and what it says about itself
 *   K:permits  left, pages; g:<holder> granted, r:<holder> returned, s:<holder> spent
 *   K:facts    list of what visits found out, in the order in which it became durable
 *   K:dead     holders that were buried: one that comes back takes another name
 */

/** create: field and value of each setting. Answers 1, or 0 when there is a crawl of that name. */
export const CREATE = `${HEAD}
if redis.call('EXISTS', K) == 1 then return 0 end
redis.call('HSET', K, 'created', nowMs(), unpack(ARGV))
return 1
`;

/** found, once for each partition before the crawl can be found: one that does not know its run has lost what it knew. */
export const FOUND = `${HEAD}${INCARNATION}
if redis.call('EXISTS', K) == 1 then return 0 end
local run, node = incarnation()
redis.call('HSET', K, 'run', run, 'node', node)
return 1
`;

/** adopt: a partition that another tool moved goes on here. Its run stays the old one, so that the first claim closes it for one lease. */
export const ADOPT = `${HEAD}${INCARNATION}
if redis.call('HGET', K, 'frozen') ~= 'moved' then return 0 end
local _, node = incarnation()
redis.call('HSET', K, 'node', node)
redis.call('HDEL', K, 'frozen')
return 1
`;

/** beat: holder, what it says about itself, 1 if it leaves. Answers the time, the run (or dead), facts, and each member: name, age, about. */
export const BEAT = `${HEAD}${INCARNATION}${HEARD}
local now = nowMs()
if redis.call('SISMEMBER', K .. ':dead', ARGV[1]) == 1 then return {now, 'dead', 0} end
if ARGV[3] == '1' then redis.call('HDEL', K .. ':members', ARGV[1])
else redis.call('HSET', K .. ':members', ARGV[1], now .. ' ' .. ARGV[2]) end
local run, since = heardSince(now)
local answer = {now, run, redis.call('LLEN', K .. ':facts')}
local members = redis.call('HGETALL', K .. ':members')
for i = 1, #members, 2 do
  local value = members[i + 1]
  local at = string.find(value, ' ', 1, true)
  answer[#answer + 1] = members[i]
  answer[#answer + 1] = now - math.max(since, tonumber(string.sub(value, 1, at - 1)))
  answer[#answer + 1] = string.sub(value, at + 1)
end
return answer
`;

/**
 * permits: holder, its totals of granted, returned and spent ones, and how many it wants. What it says it was granted
 * counts if the engine has forgotten it; what the engine granted and the holder does not know is the answer again.
 */
export const PERMITS = `${HEAD}
local P, holder = K .. ':permits', ARGV[1]
if redis.call('SISMEMBER', K .. ':dead', holder) == 1 then
  return {tonumber(ARGV[2]), 0, tonumber(redis.call('HGET', P, 'pages') or '0')}
end
local function total(name, said)
  local field = name .. ':' .. holder
  local known = tonumber(redis.call('HGET', P, field) or '0')
  if said > known then redis.call('HSET', P, field, said) end
  return math.max(0, said - known), math.max(known, said)
end
local forgotten, granted = total('g', tonumber(ARGV[2]))
local returned = total('r', tonumber(ARGV[3]))
local spent = total('s', tonumber(ARGV[4]))
local left = redis.call('HINCRBY', P, 'left', returned - forgotten)
local pages = redis.call('HINCRBY', P, 'pages', spent)
if granted == tonumber(ARGV[2]) then
  local more = math.max(0, math.min(tonumber(ARGV[5]), left))
  if more > 0 then
    granted = granted + more
    redis.call('HSET', P, 'g:' .. holder, granted)
    left = redis.call('HINCRBY', P, 'left', -more)
  end
end
return {granted, left, pages}
`;

/** bury: holder, pages that it settled. It is a member no longer, and its other permits are free. */
export const BURY = `${HEAD}
local P, holder, settled = K .. ':permits', ARGV[1], tonumber(ARGV[2])
local granted = redis.call('HGET', P, 'g:' .. holder)
if granted then
  local returned = tonumber(redis.call('HGET', P, 'r:' .. holder) or '0')
  local spent = tonumber(redis.call('HGET', P, 's:' .. holder) or '0')
  redis.call('HINCRBY', P, 'left', tonumber(granted) - returned - settled)
  redis.call('HINCRBY', P, 'pages', settled - spent)
  redis.call('HDEL', P, 'g:' .. holder, 'r:' .. holder, 's:' .. holder)
end
redis.call('HDEL', K .. ':members', holder)
redis.call('SADD', K .. ':dead', holder)
return 1
`;
