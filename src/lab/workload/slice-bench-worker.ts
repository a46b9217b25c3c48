import { workerData } from "node:worker_threads";
import { Keys } from "../../frontier/queue/keys.ts";
import { Barrier } from "../../sync/barrier.ts";
import { Quickheap } from "../queues/quickheap.ts";
import { Tournament } from "../queues/tournament.ts";
import { STREAMS } from "./key-streams.ts";
import type { SliceBenchData } from "./slice-threads.ts";

// The thread of one slice of `sliceThreads`: fills its queue once, then does its rounds together with the others.
const { kind, slice, slices, keys, batch, rounds, repeats, seed, barrier, times, work } =
  workerData as SliceBenchData;
const queue = kind === "CBT" ? new Tournament(batch, seed) : new Quickheap(undefined, seed);
const next = STREAMS.uniform(seed);
const hand = new Keys(batch);
hand.length = batch;
const fill = () => {
  for (let i = 0; i < batch; i++) {
    hand.priorities[i] = next();
    hand.ids[i] = i;
  }
};
for (let filled = 0; filled < keys; filled += batch) {
  fill();
  queue.insertMany(hand);
}
const out = new Keys(batch);
queue.extractTop(batch, out); // the first one is where a Quickheap does what others did while they were filled
fill();
queue.insertMany(hand);
const gate = new Barrier(new Int32Array(barrier), 0, slices, slice + 1);
const counts = new Float64Array(work);
let compared = queue.comparisons;
const count = (phase: number) => {
  counts[phase * slices + slice] = queue.comparisons - compared;
  compared = queue.comparisons;
};
gate.arriveAndWait();
for (let repeat = 0; repeat < repeats; repeat++) {
  const start = performance.now();
  for (let round = 0; round < rounds; round++) {
    out.clear();
    queue.extractTop(batch, out);
    if (repeat === 0) count(2 * round);
    fill();
    queue.insertMany(hand);
    if (repeat === 0) count(2 * round + 1);
    gate.arriveAndWait();
  }
  new Float64Array(times)[repeat * slices + slice] = performance.now() - start;
}
