// One run of the benchmark's workload: a queue that keeps its size, R keys out and R keys in per round.
import { Keys } from "../../build/src/frontier/queue/keys.js";

/** Microseconds of CPU of this process so far, all threads. */
export function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Fills a queue, then measures `rounds` rounds. Keys are made beforehand, so their cost does not count. */
export function measure(queue, next, { keys, batch, rounds }) {
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
  const counted = queue.insertWork === undefined ? undefined : works(queue);
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
    work: counted === undefined ? undefined : difference(works(queue), counted),
  };
}

/** Comparisons per pair only: no clock, deterministic. */
export function comparisons(queue, next, { keys, batch, rounds }) {
  return measure(queue, next, { keys, batch, rounds }).comparisonsPerPair;
}

function works({ insertWork, extractWork }) {
  return {
    insert: [insertWork.total, insertWork.longest],
    extract: [extractWork.total, extractWork.longest],
  };
}

function difference(after, before) {
  const minus = (a, b) => a.map((value, i) => value - b[i]);
  return {
    insert: minus(after.insert, before.insert),
    extract: minus(after.extract, before.extract),
  };
}

/** Median, least and most of repetitions. */
export function spread(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted.at(-1), samples };
}
