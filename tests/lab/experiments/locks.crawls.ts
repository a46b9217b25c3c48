import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { measureCollapse, reachable, threadCounts } from "../../../src/lab/experiments/collapse.ts";
import { measureLocks } from "../../../src/lab/experiments/locks.ts";
import { amdahlShare } from "../../../src/lab/locks/amdahl.ts";
import { deterministicCells, tinyRun } from "../tiny-run.ts";

/** A lock of docs/lab. */
const ownLock = (name: string) =>
  fileURLToPath(new URL(`../../../../docs/lab/own-lock/${name}.mjs`, import.meta.url));

test("collapse: sizes, threads and what the explorer proves are the same in every run", async (t) => {
  const settings = {
    sizes: [2],
    maxMs: 60,
    repeats: 1,
    listings: 30,
    isDense: false,
    gridSizes: [2],
  };
  const found = await tinyRun(t, { run: (run) => measureCollapse(run, settings) });
  const row = (conditions: string, threads: number, explorer: string) => [
    ...[2, conditions, threads, threads / 2, explorer, 1],
  ];
  assert.deepEqual(deterministicCells(found.tables[0]!), [
    row("one condition", 2, "none"),
    row("one condition", 4, "none"),
    row("one condition", 5, "deadlock reachable"),
    row("one condition", 8, "deadlock reachable"),
    row("two conditions", 2, "none"),
    row("two conditions", 4, "none"),
    row("two conditions", 5, "none"),
    row("two conditions", 8, "none"),
  ]);
  assert.deepEqual(
    found.tables[2]!.rows.map((cells) => [cells[0], cells[2], cells[4]]),
    [
      ...[2, 3, 4].map((threads) => [1, threads, "none"]),
      ...[5, 6, 7].map((threads) => [1, threads, "deadlock"]),
      ...[5, 6, 7].map((threads) => [2, threads, "none"]),
    ],
  );
  const stood = found.tables[0]!.rows.map((cells) => cells[6]);
  // Where no deadlock is reachable nothing stands still, however the threads are scheduled.
  assert.deepEqual([stood[0], stood[1], ...stood.slice(4)], [0, 0, 0, 0, 0, 0]);
});

test("collapse: the thread counts are those of the specification", () => {
  assert.deepEqual(threadCounts(30, false), [30, 60, 61, 120]);
  assert.deepEqual(threadCounts(10, true), [5, 10, 15, 20, 21, 25, 30, 40]);
  assert.equal(reachable("monitor-one-condition", 30, 60), "none");
  assert.equal(reachable("monitor-one-condition", 30, 61), "deadlock reachable");
});

test("locks: every technique at every thread count, and nothing is lost but without synchronisation", async (t) => {
  const sizes = { threadCounts: [1, 4], links: [2], maxMs: 40, repeats: 1, pages: 300 };
  const settings = {
    ...sizes,
    timesLinks: [{ threads: 2, links: 2 }],
    crawled: ["monitor" as const],
    processes: [2],
  };
  const found = await tinyRun(t, { run: (run) => measureLocks(run, settings) });
  const [pages, timesLinks, , stands] = found.tables;
  assert.equal(pages!.rows.length, 9 * 2);
  assert.deepEqual(deterministicCells(pages!).slice(0, 2), [
    ["lock-free", 1, 1],
    ["lock-free", 4, 1],
  ]);
  assert.deepEqual(deterministicCells(timesLinks!), [["monitor", "2 x 2", 4, 1]]);
  assert.ok(timesLinks!.rows[0]!.slice(4).every((rate) => typeof rate === "number"));
  const pools = found.tables.find(({ title }) => title.includes("several processes"))!;
  const task = "a task per URL, posted by the thread that holds the frontier";
  assert.deepEqual(deterministicCells(pools), [
    ["a loop per thread (coarse, size 30)", 1, 16],
    [task, 1, 16],
    [task, 2, 8],
  ]);
  assert.ok(
    pools.rows.every((cells) => (cells[3] as number) > 0),
    "a pool fetched nothing",
  );
  for (const cells of pages!.rows.filter(([name]) => !String(name).startsWith("unsynchronised")))
    assert.deepEqual(cells.slice(6, 9), [0, 0, 0], String(cells[0]));
  assert.equal(stands!.rows.length, 9);
  assert.ok(stands!.rows.every(([, , waiting]) => waiting === "stood still"));
});

test("a lock of one's own is measured beside the others, and its faults are not theirs", async (t) => {
  const sync = ownLock("mine");
  const settings = {
    ...{ threadCounts: [2], links: [], maxMs: 40, repeats: 1, pages: 300 },
    ...{ timesLinks: [], crawled: [], processes: [] },
  };
  const found = await tinyRun(
    t,
    {
      run: async (run) => {
        const locks = await measureLocks(run, settings);
        return { ...locks, tables: locks.tables.filter(({ rows }) => rows.length > 0) };
      },
    },
    { sync },
  );
  const [pages] = found.tables;
  assert.equal(pages!.rows.length, 10);
  const [name, threads, , fetched, , , twice] = pages!.rows.at(-1)!;
  assert.deepEqual([name, threads, twice], ["yours", 2, 0]);
  assert.ok((fetched as number) > 0, "it fetched nothing");
  assert.deepEqual(
    found.plots.map((plot) => plot.name),
    ["techniques", "document", "yours"],
  );
});

test("a lock with one condition comes to a stand in collapse, whoever wrote it", async (t) => {
  const sync = ownLock("exercise-3");
  const settings = {
    ...{ sizes: [2], maxMs: 60, repeats: 1, listings: 30, isDense: false, gridSizes: [1] },
  };
  const found = await tinyRun(t, { run: (run) => measureCollapse(run, settings) }, { sync });
  const own = found.tables[1]!.rows.filter(([, conditions]) => conditions === "yours");
  assert.deepEqual(
    own.map(([size, , threads, , explorer]) => [size, threads, explorer]),
    [2, 4, 5, 8].map((threads) => [2, threads, "verify --subject tells"]),
  );
  // Up to 2B threads no order of the steps stands still; beyond that it is chance.
  assert.deepEqual(
    own.slice(0, 2).map(([, , , , , , stood]) => stood),
    [0, 0],
  );
});

test("Amdahl's law is recovered from speed-ups that follow it", () => {
  const share = 0.9;
  const speedUp = (threads: number) => 1 / (1 - share + share / threads);
  const points = [1, 2, 4, 8, 64].map((threads) => ({ threads, speedUp: speedUp(threads) }));
  assert.ok(Math.abs(amdahlShare(points) - share) < 1e-9);
});
