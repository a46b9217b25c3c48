// What the laboratory exports as `orbweaver/lab`: priority queues in bulk, and the predictor of batch sizes.

export type { BlockFile } from "../frontier/queue/block-table.ts";
export { type Key, Keys } from "../frontier/queue/keys.ts";
export type { PriorityQueue } from "../frontier/queue/priority-queue.ts";
export { RangeQueue } from "../frontier/queue/range-queue.ts";
export { FineQueue, type KeyedInsert } from "../frontier/shared/techniques/fine-queue.ts";
export {
  createTechnique,
  openTechnique,
} from "../frontier/shared/techniques/open-technique.ts";
export {
  OptimisticQueue,
  type TransactionCounts,
} from "../frontier/shared/techniques/optimistic-queue.ts";
export type {
  QueueShape,
  RecordQueue,
  Technique,
} from "../frontier/shared/techniques/record-queue.ts";
export { openScratchFile, type ScratchFile } from "../runtime/scratch-file.ts";
export type { Phase } from "../sync/phase-board.ts";
export type { OwnSync, OwnSyncClass } from "../verify/own-lock.ts";
export { type BlockingResult, runBlocking } from "./blocking/blocking-crawl.ts";
export type { BlockingPlan } from "./blocking/blocking-plan.ts";
export { Laboratory } from "./blocking/laboratory.ts";
export {
  type BatchPrediction,
  type CrawlSample,
  findBatchSize,
  predictBatch,
} from "./queues/batch-size.ts";
export { BucketQueue } from "./queues/bucket-queue.ts";
export { readCrawlSample, type SampleOptions } from "./queues/crawl-sample.ts";
export { GlobalQuickheap } from "./queues/global-quickheap.ts";
export { Heap } from "./queues/heap.ts";
export { IncrementalSort } from "./queues/incremental-sort.ts";
export { bestFirst, type LinkGraph, pageRank } from "./queues/page-rank.ts";
export type { SliceMemory } from "./queues/pivot-slice.ts";
export { Quickheap } from "./queues/quickheap.ts";
export { type SliceRunner, ThreadRunner } from "./queues/slice-runner.ts";
export { SlicedQueue } from "./queues/sliced-queue.ts";
export { Tournament } from "./queues/tournament.ts";
export type { WorkBalance } from "./queues/work-balance.ts";
