// Cost of the parts a queue is made of, in nanoseconds of CPU per key: partition, batch insert, extraction, ranges.
// Needs a build: npm run build && node bench/micro/queue.bench.mjs
import { Keys } from "../../build/src/frontier/queue/keys.js";
import { PriorityRanges } from "../../build/src/frontier/queue/priority-ranges.js";
import { partition } from "../../build/src/lab/queues/partition.js";
import { Quickheap } from "../../build/src/lab/queues/quickheap.js";
import { Selection } from "../../build/src/lab/queues/selection.js";
import { generator } from "../queue.streams.mjs";

const ROUNDS = 15;
const random = generator();
const cash = (length) => Float64Array.from({ length }, () => Math.floor(random() * 2 ** 53));

/** Least over rounds of nanoseconds of CPU per key; `prepare` is not timed. */
function nsPerKey(keys, prepare, work) {
  const samples = [];
  for (let round = -3; round < ROUNDS; round++) {
    const input = prepare();
    const before = process.cpuUsage();
    work(input);
    const used = process.cpuUsage(before);
    if (round >= 0) samples.push(((used.user + used.system) * 1000) / keys);
  }
  samples.sort((a, b) => a - b);
  return { least: samples[0], median: samples[samples.length >> 1] };
}

const rows = [];
function row(part, keys, prepare, work) {
  const { least, median } = nsPerKey(keys, prepare, work);
  rows.push({
    part,
    keys,
    "least ns": Number(least.toFixed(1)),
    "median ns": Number(median.toFixed(1)),
  });
}

for (const keys of [1000, 100_000, 1_000_000]) {
  const source = cash(keys);
  const ids = new Uint32Array(keys);
  const copy = () => source.slice();
  const repeats = Math.ceil(200_000 / keys);
  const copies = () => Array.from({ length: repeats }, copy);
  row("partition", keys * repeats, copies, (all) => {
    for (const priorities of all) partition(priorities, ids, 0, keys - 1, source[0]);
  });
  row("quickselect the better half", keys * repeats, copies, (all) => {
    const select = new Selection();
    for (const priorities of all) select.top(priorities, ids, keys, keys >> 1);
  });
}

const BATCH = 8000;
const batch = Keys.over(cash(BATCH), new Uint32Array(BATCH));
const filled = () => {
  const queue = new Quickheap(300_000);
  for (let i = 0; i < 25; i++) queue.insertMany(Keys.over(cash(BATCH), new Uint32Array(BATCH)));
  queue.extractTop(BATCH);
  return queue;
};
row("Quickheap insertMany(8000) at 192,000 keys", BATCH, filled, (queue) =>
  queue.insertMany(batch),
);
row("Quickheap extractTop(8000) at 192,000 keys", BATCH, filled, (queue) =>
  queue.extractTop(BATCH),
);

const ranges = new PriorityRanges(10);
const many = cash(200_000);
row(
  "range of a priority",
  many.length,
  () => many,
  (priorities) => {
    let sum = 0;
    for (const priority of priorities) sum += ranges.of(priority);
    if (sum < 0) throw new Error("unreachable");
  },
);
console.table(rows);
