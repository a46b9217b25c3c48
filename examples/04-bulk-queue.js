// Takes the 1,000 best of 200,000 keys at a time from three kinds of queues. Run: node examples/04-bulk-queue.js
import { BucketQueue, Heap, Keys, Quickheap } from "orbweaver/lab";

const KEYS = 200_000;
const R = 1000;

/** A batch of keys: a priority and a number of your own, such as that of a URL. Higher priorities leave first. */
function batch(from, count) {
  const keys = new Keys(count);
  for (let id = from; id < from + count; id++) keys.push((id * 2654435761) % 1_000_003, id);
  return keys;
}

const queues = {
  "binary heap": new Heap(2),
  Quickheap: new Quickheap(),
  buckets: new BucketQueue(),
};
for (const [name, queue] of Object.entries(queues)) {
  queue.insertMany(batch(0, KEYS));
  const best = queue.peek();
  const before = queue.comparisons;
  let worst = Number.POSITIVE_INFINITY;
  for (let next = KEYS; next < KEYS + 50 * R; next += R) {
    const top = queue.extractTop(R); // at most R keys, in no particular order
    for (const { priority } of top) worst = Math.min(worst, priority);
    queue.insertMany(batch(next, R));
  }
  const perPair = ((queue.comparisons - before) / (50 * R)).toFixed(1);
  console.log(
    `${name}: best ${best.priority}, worst taken ${worst}, ${perPair} comparisons per pair`,
  );
}
