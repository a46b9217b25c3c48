import { Keys } from "../../frontier/queue/keys.ts";
import type { WorkBalance } from "../queues/work-balance.ts";
import type { NextKey } from "./key-streams.ts";

/** A queue under test: every PriorityQueue, and the sliced ones, whose work can be compared. */
export interface TestedQueue {
  readonly size: number;
  readonly comparisons: number;
  readonly insertWork?: WorkBalance;
  readonly extractWork?: WorkBalance;
  insertMany(keys: Keys): void;
  extractTop(count: number, into?: Keys): Keys;
}

/** A queue that keeps its size: R keys out and R keys in per round. */
export interface Workload {
  readonly keys: number;
  readonly batch: number;
  readonly rounds: number;
}

/** Work of all slices, and of the busiest one of each phase. */
type Work = readonly [total: number, longest: number];

/** What one run of a workload cost. */
export interface WorkloadCost {
  readonly nsPerPair: number;
  readonly comparisonsPerPair: number;
  readonly fillNsPerKey: number;
  readonly firstMs: number;
  readonly longestMs: number;
  readonly mostComparisons: number;
  readonly work: { readonly insert: Work; readonly extract: Work } | undefined;
}

/** Microseconds of CPU of this process so far, all threads. */
export function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Fills a queue, then measures `rounds` rounds. Keys are made beforehand, so their cost does not count. */
export function measureQueue(queue: TestedQueue, next: NextKey, workload: Workload): WorkloadCost {
  const { keys, batch, rounds } = workload;
  const hand = new Keys(batch);
  hand.length = batch;
  for (let i = 0; i < batch; i++) hand.ids[i] = i;
  const fillBefore = cpuUs();
  for (let filled = 0; filled < keys; filled += batch) {
    for (let i = 0; i < batch; i++) hand.priorities[i] = next();
    queue.insertMany(hand);
  }
  const fillUs = cpuUs() - fillBefore;
  const stream = Float64Array.from({ length: batch * rounds }, next);
  const out = new Keys(batch);
  // The first extraction is where a Quickheap does what a heap did while it was filled: reported on its own.
  const firstBefore = cpuUs();
  queue.extractTop(batch, out);
  const firstUs = cpuUs() - firstBefore;
  queue.insertMany(hand);
  const compared = queue.comparisons;
  const counted = worksOf(queue);
  let longestUs = 0;
  let mostComparisons = 0;
  const before = cpuUs();
  for (let round = 0; round < rounds; round++) {
    const comparedBefore = queue.comparisons;
    const start = cpuUs(); // CPU, not wall: what others do meanwhile is no pause of ours
    out.clear();
    queue.extractTop(batch, out);
    longestUs = Math.max(longestUs, cpuUs() - start);
    mostComparisons = Math.max(mostComparisons, queue.comparisons - comparedBefore);
    hand.priorities = stream.subarray(round * batch, (round + 1) * batch);
    queue.insertMany(hand);
  }
  const pairs = rounds * batch;
  return {
    nsPerPair: ((cpuUs() - before) * 1000) / pairs,
    comparisonsPerPair: (queue.comparisons - compared) / pairs,
    fillNsPerKey: (fillUs * 1000) / keys, // includes making the keys
    firstMs: firstUs / 1000,
    longestMs: longestUs / 1000,
    mostComparisons,
    work: counted && difference(worksOf(queue)!, counted),
  };
}

type Works = NonNullable<WorkloadCost["work"]>;

function worksOf({ insertWork, extractWork }: TestedQueue): Works | undefined {
  if (insertWork === undefined || extractWork === undefined) return undefined;
  return {
    insert: [insertWork.total, insertWork.longest],
    extract: [extractWork.total, extractWork.longest],
  };
}

function difference(after: Works, before: Works): Works {
  const minus = (a: Work, b: Work): Work => [a[0] - b[0], a[1] - b[1]];
  return {
    insert: minus(after.insert, before.insert),
    extract: minus(after.extract, before.extract),
  };
}

/** The paper's efficiency: mean work of T slices in parts of the busiest's, summed over phases. */
export function efficiencyOf([total, longest]: Work, slices: number): number {
  return longest === 0 ? 1 : total / (slices * longest);
}
