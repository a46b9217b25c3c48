// The queue a crawl uses, at the size of a large one: how long one call can be, and how often it goes to disk.
import { QUEUE_FRAMES } from "../../build/src/frontier/opic/opic-queue.js";
import { BLOCK_KEYS } from "../../build/src/frontier/queue/block-table.js";
import { Keys } from "../../build/src/frontier/queue/keys.js";
import { STREAMS } from "../../build/src/lab/workload/key-streams.js";
import { cpuUs } from "./measure.mjs";
import { rangeQueue } from "./range-queue.mjs";

const GOALS = { longestMs: 5, transfers: 10 };
const round = (value, digits = 2) => Number(value.toFixed(digits));

/** All calls of one queue: neither the first ones are left out nor those that go to disk. */
function run(queue, next, { keys, batch, rounds }) {
  const hand = new Keys(batch);
  hand.length = batch;
  for (let i = 0; i < batch; i++) hand.ids[i] = i;
  const insert = () => {
    for (let i = 0; i < batch; i++) hand.priorities[i] = next();
    queue.insertMany(hand);
  };
  for (let filled = 0; filled < keys; filled += batch) insert();
  const out = new Keys(batch);
  const calls = [];
  let most = 0;
  const before = queue.transfers;
  for (let i = 0; i < rounds; i++) {
    out.clear();
    const wall = performance.now();
    const cpu = cpuUs();
    const moved = queue.transfers;
    queue.extractTop(batch, out);
    calls.push({ cpuMs: (cpuUs() - cpu) / 1000, wallMs: performance.now() - wall });
    most = Math.max(most, queue.transfers - moved);
    insert();
  }
  const transfers = ((queue.transfers - before) * 1000) / (rounds * batch);
  return { calls, most, transfers, blocks: queue.residentBlocks };
}

/** Repetitions do the same, call by call: the least time of a call is its own, the longest of these the longest pause. */
function longest(runs, name) {
  const own = runs[0].calls.map((_, i) => Math.min(...runs.map(({ calls }) => calls[i][name])));
  return round(Math.max(...own));
}

/** `RangeQueue` with the memory a shard gives it, and with a tenth of its keys, for every kind of keys. */
export function crawlQueue({ size }) {
  const keys = size.largeKeys ?? size.keys;
  const { batch } = size;
  const rounds = size.isShort ? 50 : 400;
  run(rangeQueue(QUEUE_FRAMES), STREAMS.uniform(), { keys: Math.min(keys, 2e5), batch, rounds }); // for the compiler
  const memories = { "of a shard": QUEUE_FRAMES, "10 %": Math.round(keys / BLOCK_KEYS / 10) };
  const table = [];
  for (const [memory, frames] of Object.entries(memories)) {
    for (const [stream, start] of Object.entries(STREAMS)) {
      const runs = Array.from({ length: size.repetitions }, () =>
        run(rangeQueue(frames), start(), { keys, batch, rounds }),
      );
      table.push({
        memory,
        keys: stream,
        "longest, CPU ms": longest(runs, "cpuMs"),
        "longest, wall ms": longest(runs, "wallMs"),
        "most transfers of one call": runs[0].most,
        "transfers per 1000 pairs": round(runs[0].transfers, 1),
        "resident MiB": round((runs[0].blocks * 4096) / 2 ** 20, 1),
      });
    }
  }
  const worst = (name, rows = table) => Math.max(...rows.map((row) => row[name]));
  const tenth = table.filter(({ memory }) => memory === "10 %");
  return {
    title: `the queue a crawl uses (range queue), ${keys} keys, every extractTop of ${rounds} with R = ${batch}`,
    table,
    data: {
      longestCpuMs: worst("longest, CPU ms"),
      transfersWithTenPercent: worst("transfers per 1000 pairs", tenth),
      goals: GOALS,
      isReached:
        worst("longest, CPU ms") <= GOALS.longestMs &&
        worst("transfers per 1000 pairs", tenth) <= GOALS.transfers,
    },
  };
}
