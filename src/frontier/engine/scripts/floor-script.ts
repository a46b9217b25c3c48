import { HEAD, INCARNATION } from "./fragments.ts";

/**
 * floor: address, take or give, holder, its turn, lease in ms, ms, 1 if it has the address already, a holder that is gone or ''.
 * An address is a key of the partition that its hash falls to, so that it is quiet and frozen with it, which is seldom the
 * partition of its hosts: it is kept for two leases, so that a server that is replaced by another within that stops only its
 * own hosts. It goes when nobody has asked for it for long.
 * take answers own, ms to wait, 1 if others want it; or held, and by whom. What another held until its lease ran out, or it was
 * gone, waits `ms`, one floor. give answers given; nothing starts for `ms` more.
 */
export const FLOOR = `${HEAD}${INCARNATION}
local kind, holder, turn, leaseMs, ms = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local A = K .. ':a:' .. ARGV[1]
local state = redis.call('HMGET', K, 'frozen', 'run', 'node', 'quiet')
if state[1] or isStray(state[2], state[3]) then return {'held', ''} end
local now = nowMs()
local own = redis.call('HMGET', A, 'holder', 'exp', 'free', 'turn', 'wanted')
if kind == 'give' then
  -- One that was on its way for long must not take away what was taken since.
  if own[1] == holder and own[4] == turn then
    redis.call('HDEL', A, 'holder', 'exp', 'wanted')
    redis.call('HSET', A, 'free', now + ms)
    redis.call('PEXPIRE', A, ms + leaseMs)
  end
  return {'given'}
end
local free, isHeld = tonumber(own[3] or '0'), own[1] and own[1] ~= ARGV[8] and tonumber(own[2]) > now
local isMine, had = isHeld and own[1] == holder, ARGV[7] == '1'
if not (isMine and had and own[4] == turn) then
  -- After a restart only who has the address knows that it has it, whatever is noted here.
  local _, quiet = noteRun(state[2], state[4], leaseMs, now)
  if quiet > 0 and now < quiet + leaseMs then
    if not had then return {'held', ''} end
  elseif isHeld and not isMine then
    redis.call('HSET', A, 'wanted', holder)
    return {'held', own[1]}
  elseif own[1] and own[1] ~= holder then free = math.max(free, now + ms) end
end
redis.call('HSET', A, 'holder', holder, 'exp', now + 2 * leaseMs, 'free', free, 'turn', turn)
redis.call('PEXPIRE', A, 3 * leaseMs)
return {'own', math.max(0, free - now), own[5] and 1 or 0}
`;
