/** Run numbers made durable at once, so that a replacement seldom waits for the disk. */
const EPOCHS_AHEAD = 16;
/** Runs are numbered by what an Int32Array holds; each process uses up a small part of what is left, however many there are. */
const MAX_EPOCH = 2 ** 31 - 2 ** 16;
const LEAPS = 2 ** 14;

/**
 * Run numbers of threads, each higher than all before. `keep` makes durable how far they may go before one of them is
 * used; some stay unused when the crawl ends. The first is some way off, by chance: two copies of a folder that both go
 * on then have different runs, and files of one are not taken for files of the other.
 */
export function epochsAfter(
  last: number,
  keep: (upTo: number) => void,
  random: () => number = Math.random,
): () => number {
  let durable = last;
  let epoch = last + Math.floor((random() * (MAX_EPOCH - last)) / LEAPS);
  return () => {
    if (epoch >= durable) {
      keep(epoch + EPOCHS_AHEAD);
      durable = epoch + EPOCHS_AHEAD;
    }
    return ++epoch;
  };
}
