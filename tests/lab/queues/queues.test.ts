import { BucketQueue } from "../../../src/lab/queues/bucket-queue.ts";
import { GlobalQuickheap } from "../../../src/lab/queues/global-quickheap.ts";
import { Heap } from "../../../src/lab/queues/heap.ts";
import { Quickheap } from "../../../src/lab/queues/quickheap.ts";
import { Tournament } from "../../../src/lab/queues/tournament.ts";
import { queueContract } from "./priority-queue.contract.ts";

queueContract("binary heap", () => new Heap(2));
queueContract("4-ary heap", () => new Heap(4));
queueContract("Quickheap", () => new Quickheap());
queueContract("Quickheap that starts with one place", () => new Quickheap(1));
queueContract("bucket queue", () => new BucketQueue());
queueContract("bucket queue of 54 wide ranges", () => new BucketQueue(1, 0));
for (const chunkKeys of [1, 2, 7, 64]) {
  queueContract(`tournament of chunks of ${chunkKeys}`, () => new Tournament(chunkKeys));
}
for (const slices of [1, 2, 3, 8]) {
  queueContract(`global-pivot Quickheap of ${slices} slices`, () =>
    GlobalQuickheap.solo(slices, 4200),
  );
}
