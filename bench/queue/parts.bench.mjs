// Cost of the parts a queue is made of, in nanoseconds of CPU per key: partition, batch insert, extraction, ranges.

import { Keys } from "../../build/src/frontier/queue/keys.js";
import { PriorityRanges } from "../../build/src/frontier/queue/priority-ranges.js";
import { partition } from "../../build/src/lab/queues/partition.js";
import { Quickheap } from "../../build/src/lab/queues/quickheap.js";
import { Quickselect } from "../../build/src/lab/queues/quickselect.js";
import { readArguments } from "../support/arguments.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";
import { generator } from "../support/random.mjs";
import { spread } from "../support/statistics.mjs";

const { sizes, repeat } = readArguments({
  options: {
    sizes: {
      default: [1000, 100_000, 1_000_000],
      smoke: [1000],
      help: "keys that are partitioned",
    },
    repeat: { default: 15, smoke: 2, help: "rounds" },
  },
});
const random = generator();
const cash = (length) => Float64Array.from({ length }, () => Math.floor(random() * 2 ** 53));

const rows = [];
/** Nanoseconds of CPU per key over the rounds; `prepare` is not timed, the first three rounds warm up. */
function row(part, keys, prepare, work) {
  const samples = [];
  for (let round = -3; round < repeat; round++) {
    const input = prepare();
    const ns = (1000 * cpuMicros(() => work(input))) / keys;
    if (round >= 0) samples.push(ns);
  }
  const { least, median } = spread(samples, 1);
  rows.push({ part, keys, "least ns": least, "median ns": median });
}

for (const keys of sizes) {
  const source = cash(keys);
  const ids = new Uint32Array(keys);
  const copy = () => source.slice();
  const repeats = Math.ceil(200_000 / keys);
  const copies = () => Array.from({ length: repeats }, copy);
  row("partition", keys * repeats, copies, (all) => {
    for (const priorities of all) partition(priorities, ids, 0, keys - 1, source[0]);
  });
  row("quickselect the better half", keys * repeats, copies, (all) => {
    const select = new Quickselect();
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
const rangesOf = (priorities) => {
  let sum = 0;
  for (const priority of priorities) sum += ranges.of(priority);
  if (sum < 0) throw new Error("unreachable");
};
row("range of a priority", many.length, () => many, rangesOf);
console.table(rows);
