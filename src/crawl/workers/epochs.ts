/** So many numbers are made durable at once. */
const AHEAD = 16;

/**
 * Numbers for the runs of threads, each above all before; `keep` makes durable how far they may go, before any of them
 * is used. Some are left unused when the crawl ends. A thread that takes over need not wait for the disk each time.
 */
export function epochsAfter(last: number, keep: (upTo: number) => void): () => number {
  let durable = last;
  let epoch = last;
  return () => {
    if (epoch === durable) {
      keep(durable + AHEAD);
      durable += AHEAD;
    }
    return ++epoch;
  };
}
