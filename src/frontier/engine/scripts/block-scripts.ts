import { HEAD, INCARNATION, INSERT_LINKS, QUEUE, SEEN } from "./fragments.ts";

/** Blocks of one producer are taken in without gaps; the number is noted last, so that a repeated block ends the same. */
const NUMBER = `${INCARNATION}
local producer, number = ARGV[1], tonumber(ARGV[2])
local state = redis.call('HMGET', K, 'n:' .. producer, 'frozen', 'token', 'run', 'node')
if state[2] or isStray(state[4], state[5]) then return {'frozen'} end
local reached = tonumber(state[1] or '0')
if number > reached + 1 then return {'gap', reached} end
`;

const KNOWN = `
if number <= reached then return {'known', reached} end
`;

/**
 * insert-many: producer, number, order, then for each host: host, site or '', links, and for each link: decimal,
 * credit, bonus, record. Answers inserted, how many were new, 1 if there was no host to hand
 * out before, and credits for pages that wait no longer.
 */
export const INSERT = `${HEAD}${NUMBER}${KNOWN}${SEEN}${QUEUE}${INSERT_LINKS}
local was = redis.call('EXISTS', K .. ':h')
local counts = insertLinks(ARGV[3], ARGV, 4, 0)
redis.call('HSET', K, 'n:' .. producer, number)
if was == 0 and redis.call('EXISTS', K .. ':h') == 1 then was = 1 else was = 0 end
return {'inserted', counts.fresh, was, counts.late}
`;

/**
 * post: producer, number, step, then as insert-many. The block waits, as it is, for a step after that one; answers as
 * insert-many does when nothing was new.
 */
export const POST = `${HEAD}${NUMBER}${KNOWN}
local block = {producer}
for i = 3, #ARGV do block[i - 1] = ARGV[i] end
redis.call('RPUSH', K .. ':in', cmsgpack.pack(block))
redis.call('HINCRBY', K, 'posted', 1)
redis.call('HSET', K, 'n:' .. producer, number)
return {'inserted', 0, 0, 0}
`;

/**
 * settle-many: producer, number, order, token, holder, now how many notes, for each host and note, and for each URL:
 * id, decimal, outcome, site or ''. Answers settled and how many were accepted, or late and how many were not; said
 * again, a block that was late is late again, because a lease that was lost never comes back.
 */
export const SETTLE = `${HEAD}${NUMBER}${SEEN}
local token, holder, notes = ARGV[4], ARGV[5], tonumber(ARGV[6])
local first = 7 + 2 * notes
local urls = (#ARGV - first + 1) / 4
local lost = 'l:' .. producer .. ' ' .. token
if number <= reached then
  local from = redis.call('HGET', K, lost)
  if from and number >= tonumber(from) then return {'late', urls} end
  return {'known', reached}
end
if state[3] ~= token then
  redis.call('HSETNX', K, lost, number)
  redis.call('HINCRBY', K, 'late', urls)
  redis.call('HSET', K, 'n:' .. producer, number)
  return {'late', urls}
end
for i = 7, first - 2, 2 do redis.call('HSET', K .. ':n', ARGV[i], ARGV[i + 1]) end
local settled, unknown, pages, abandoned = 0, 0, 0, 0
for i = first, #ARGV, 4 do
  local id, decimal, outcome, site = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local out = redis.call('HGET', K .. ':o', id)
  local counts = false
  if out then
    if outcome == '0' then redis.call('RPUSH', K .. ':ab', out) end
    redis.call('HDEL', K .. ':o', id)
    counts = true
  elseif isSeen(decimal) then
    -- The engine has forgotten that it was handed out, so it waits: its record is skipped when its turn comes.
    counts = redis.call('SADD', K .. ':g', id) == 1
  else
    -- The engine has forgotten that it was inserted; who inserted it will say so again.
    addSeen(decimal)
    unknown = unknown + 1
    counts = true
  end
  if counts then
    settled = settled + 1
    if outcome == '0' then abandoned = abandoned + 1 end
    if outcome == '1' then
      pages = pages + 1
      if site ~= '' then redis.call('HINCRBY', K .. ':sp', site, 1) end
    end
  end
end
if unknown > 0 then
  redis.call('HINCRBY', K, 'inserted', unknown)
  redis.call('HSET', K, 'seen', seen)
end
if settled > 0 then redis.call('HINCRBY', K, 'settled', settled) end
if abandoned > 0 then redis.call('HINCRBY', K, 'abandoned', abandoned) end
if pages > 0 then
  redis.call('HINCRBY', K, 'pages', pages)
  redis.call('HINCRBY', K, 'p:' .. holder, pages)
end
redis.call('HSET', K, 'n:' .. producer, number)
return {'settled', settled}
`;
