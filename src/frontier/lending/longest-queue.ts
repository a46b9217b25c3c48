/** A queue shorter than this is left to its owner. */
const WORTH_ASKING = 32;

/** The thread with the longest queue, if it is long enough to be worth asking. */
export function longestQueue(queued: readonly number[], me: number): number {
  let best = -1;
  for (const [thread, urls] of queued.entries()) {
    if (thread === me || urls < WORTH_ASKING) continue;
    if (best < 0 || urls > queued[best]!) best = thread;
  }
  return best;
}
