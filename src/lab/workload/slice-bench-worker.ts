import { workerData } from "node:worker_threads";
import { Keys } from "../../frontier/queue/keys.ts";
import { Barrier } from "../../sync/barrier.ts";
import { Quickheap } from "../queues/quickheap.ts";
import { Tournament } from "../queues/tournament.ts";
import { STREAMS } from "./key-streams.ts";
import type { SliceBenchData } from "./slice-threads.ts";

// The thread of one slice of `sliceThreads`: fills its queue, then does its rounds together with the others.
const { kind, slice, slices, keys, batch, rounds, seed, barrier, times } =
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
gate.arriveAndWait();
const start = performance.now();
for (let round = 0; round < rounds; round++) {
  out.clear();
  queue.extractTop(batch, out);
  fill();
  queue.insertMany(hand);
  gate.arriveAndWait();
}
new Float64Array(times)[slice] = performance.now() - start;
