// CPU time per extracted and inserted key: all queues and rivals at 1e6 keys, all streams, and 8e7 keys.
import { BucketQueue } from "../../build/src/lab/queues/bucket-queue.js";
import { GlobalQuickheap } from "../../build/src/lab/queues/global-quickheap.js";
import { Heap } from "../../build/src/lab/queues/heap.js";
import { Quickheap } from "../../build/src/lab/queues/quickheap.js";
import { Tournament } from "../../build/src/lab/queues/tournament.js";
import { STREAMS } from "../../build/src/lab/workload/key-streams.js";
import { cpuUs, measure, spread } from "./measure.mjs";
import { rangeQueue } from "./range-queue.mjs";

const round = (value, digits = 1) => Number(value.toFixed(digits));

/** Our queues, each with room for `capacity` keys. */
export const OURS = {
  Quickheap: (capacity) => new Quickheap(capacity),
  "bucket queue": () => new BucketQueue(),
  // 4 MiB in memory, the rest in a file; exact to ranges of an eighth, so it does less than the others.
  "range queue on disk": () => rangeQueue(),
  "4-ary heap": (capacity) => new Heap(4, capacity),
  "binary heap": (capacity) => new Heap(2, capacity),
  "tournament (CBT)": (_capacity, batch) => new Tournament(batch),
  "global-pivot Quickheap, 8 slices": (capacity) => GlobalQuickheap.solo(8, capacity),
};

/** Lets the compiler see every queue once, so that no repetition pays for it. */
function warmUp(creators) {
  for (const create of Object.values(creators)) {
    measure(create(60_000, 1000), STREAMS.uniform(), { keys: 50_000, batch: 1000, rounds: 60 });
  }
}

/** 1e6 keys, uniform, interleaved: repetition by repetition, every queue in turn. */
export function speed({ size, flatqueue, std }) {
  const { keys, batch, rounds, repetitions } = size;
  const creators = { ...OURS, ...(flatqueue && { flatqueue: flatqueue.create }) };
  warmUp(creators);
  const samples = {};
  const details = {};
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const [name, create] of Object.entries(creators)) {
      const run = measure(create(keys + 2 * batch, batch), STREAMS.uniform(), {
        keys,
        batch,
        rounds,
      });
      samples[name] ??= [];
      samples[name].push(run.nsPerPair);
      // The longest call of all repetitions: the least of them would hide a pause.
      details[name] = { ...run, longestMs: Math.max(run.longestMs, details[name]?.longestMs ?? 0) };
    }
    if (std !== undefined) {
      samples["std::priority_queue"] ??= [];
      samples["std::priority_queue"].push(std.run({ keys, batch, rounds }));
    }
  }
  // Ratios within a repetition, so that a change of load in between hits both sides alike.
  const ratio = (name, rival) =>
    samples[rival] && spread(samples[name].map((ns, i) => ns / samples[rival][i]));
  const table = Object.entries(samples).map(([name, list]) => {
    const { median, min, max } = spread(list);
    return {
      queue: name,
      "ns per pair": round(median),
      from: round(min),
      to: round(max),
      "x flatqueue": round(ratio(name, "flatqueue")?.median ?? Number.NaN, 2),
      "x std": round(ratio(name, "std::priority_queue")?.median ?? Number.NaN, 2),
      "comparisons per pair": round(details[name]?.comparisonsPerPair ?? Number.NaN),
      "longest extractTop, ms": round(details[name]?.longestMs ?? Number.NaN, 2),
    };
  });
  const ratios = Object.fromEntries(
    ["flatqueue", "std::priority_queue"].map((rival) => [rival, ratio("Quickheap", rival)]),
  );
  const title = `extractTop + insertMany, ${keys} uniform keys, R = ${batch}, ${repetitions} repetitions`;
  return { title, table, data: { samples, quickheapAgainst: ratios } };
}

/** The same for every stream of keys, heaps beside: is any input quadratic? */
export function streams({ size }) {
  const { batch, repetitions } = size;
  const keys = size.keys / 2;
  const rounds = Math.ceil((2 * keys) / batch / (size.isShort ? 4 : 1)); // every key leaves, twice
  const table = [];
  const data = {};
  for (const [stream, start] of Object.entries(STREAMS)) {
    for (const [name, create] of Object.entries(OURS)) {
      const runs = Array.from({ length: size.isShort ? 1 : repetitions }, () =>
        measure(create(keys + 2 * batch, batch), start(), { keys, batch, rounds }),
      );
      const ns = spread(runs.map((run) => run.nsPerPair));
      data[`${stream}: ${name}`] = { ns, comparisonsPerPair: runs[0].comparisonsPerPair };
      table.push({
        keys: stream,
        queue: name,
        "comparisons per pair": round(runs[0].comparisonsPerPair),
        "ns per pair": round(ns.median),
        from: round(ns.min),
        to: round(ns.max),
        "longest extractTop, ms": round(spread(runs.map((run) => run.longestMs)).max, 2),
      });
    }
  }
  return {
    title: `by kind of keys, ${keys} keys, R = ${batch}, ${rounds} rounds`,
    table,
    data: { runs: data },
  };
}

/** 8e7 keys: what the frontier of a large crawl holds. One queue in memory at a time. */
export function large({ size }) {
  const { largeKeys: keys, batch, repetitions } = size;
  if (keys === undefined) return {};
  const rounds = size.isShort ? 5 : 400;
  const names = ["Quickheap", "bucket queue", "range queue on disk", "4-ary heap"];
  warmUp(OURS);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const name of names) {
      const start = cpuUs();
      const queue = OURS[name](keys + 2 * batch, batch);
      runs[name].push(measure(queue, STREAMS.uniform(), { keys, batch, rounds }));
      console.log(`  ${keys} keys, ${name}: ${Math.round((cpuUs() - start) / 1e6)} s of CPU`);
    }
  }
  const table = names.map((name) => {
    const ns = spread(runs[name].map((run) => run.nsPerPair));
    const against = spread(
      runs[name].map((run, i) => run.nsPerPair / runs["4-ary heap"][i].nsPerPair),
    );
    return {
      queue: name,
      "ns per pair": round(ns.median),
      from: round(ns.min),
      to: round(ns.max),
      "x 4-ary heap": round(against.median, 3),
      "comparisons per pair": round(runs[name][0].comparisonsPerPair),
      "fill ns per key": round(spread(runs[name].map((run) => run.fillNsPerKey)).median),
      "first extractTop, ms": round(spread(runs[name].map((run) => run.firstMs)).median),
      // What the first extraction costs, shared by as many pairs as there are keys.
      "ns with first": round(
        spread(runs[name].map((run) => run.nsPerPair + (run.firstMs * 1e6) / keys)).median,
      ),
      "most comparisons of one": runs[name][0].mostComparisons,
      "longest later, ms": round(spread(runs[name].map((run) => run.longestMs)).max, 2),
    };
  });
  return { title: `${keys} uniform keys, R = ${batch}, ${rounds} rounds`, table, data: { runs } };
}
