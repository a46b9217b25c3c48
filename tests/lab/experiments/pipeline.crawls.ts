import assert from "node:assert/strict";
import { test } from "node:test";
import { measureBuffers } from "../../../src/lab/experiments/buffers.ts";
import { measureLinks } from "../../../src/lab/experiments/links-per-thread.ts";
import { measureRace } from "../../../src/lab/experiments/race-replays.ts";
import { measureVerification } from "../../../src/lab/experiments/verification.ts";
import { shareOf } from "../../../src/lab/rounds/rounds-crawl.ts";
import { deterministicCells, tinyRun } from "../tiny-run.ts";

test("links-per-thread: rounds and continuous crawl exactly N pages, in as many rounds as the shares ask for", async (t) => {
  const breakdown = { threads: 2, links: 4, pages: [20] };
  const rounds = { threads: 2, links: 2, pages: 20, maxWaitMs: [30_000] };
  const settings = {
    threads: [2],
    pages: [20],
    links: [4],
    repeats: 1,
    latencyMs: 1,
    breakdown,
    rounds,
  };
  const found = await tinyRun(t, { run: (run) => measureLinks(run, settings) });
  assert.deepEqual(deterministicCells(found.tables[0]!), [
    ["rounds", 2, 20, 4, 20, 0, null],
    ["continuous", 2, 20, 4, 20, 0, null],
  ]);
  const stages = found.tables[1]!;
  assert.deepEqual(deterministicCells(stages), [[2, 4, 20]]);
  const shares = stages.rows[0]!.slice(4) as number[];
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 0.1, `${shares}`);
  assert.ok(shares[3]! > 0, "nothing was stored");
  const [kept, dropped] = found.tables[2]!.rows;
  assert.deepEqual(
    [kept, dropped].map((cells) => cells!.slice(0, 4)),
    [
      ["kept", 30_000, 1, 20],
      ["dropped", 30_000, 1, 20],
    ],
  );
  assert.equal(kept![5], 0);
  assert.ok((dropped![5] as number) > 0, "nothing was dropped");
});

test("a share is the pool dealt out evenly, at least one link and at most L", () => {
  assert.equal(shareOf(100, 4, 8), 8);
  assert.equal(shareOf(100, 4, 64), 25);
  assert.equal(shareOf(3, 4, 8), 1);
});

test("race: without the lock every turnstile run races, with it none", async (t) => {
  const found = await tinyRun(t, { run: (run) => measureRace(run, { times: 1, sleepMs: 100 }) });
  const { rows } = found.tables[0]!;
  assert.deepEqual(deterministicCells(found.tables[0]!).slice(0, 2), [
    ["turnstile", "without", 1],
    ["turnstile", "with", 1],
  ]);
  assert.equal(rows[0]![3], 1);
  assert.ok(rows.every(([, lock, , raced]) => lock === "without" || raced === 0));
});

test("verification: the states of the shipped code are the same in every run", async (t) => {
  const settings = { names: ["semaphores-2p2c"], assertions: "", budgetSeconds: 60 };
  const explore = () => tinyRun(t, { run: (run) => measureVerification(run, settings) });
  const found = await explore();
  const cells = deterministicCells(found.tables[0]!);
  assert.deepEqual(cells[0]!.slice(0, 3), ["semaphores-2p2c", 4, "holds"]);
  assert.deepEqual(deterministicCells((await explore()).tables[0]!), cells);
});

test("buffers: every number of buffers and every size has its row", async (t) => {
  const settings = {
    unitMs: 40,
    buffers: [
      { builders: 1, crawlers: 1 },
      { builders: 2, crawlers: 4 },
    ],
    bufferSizes: [1, 1000],
    pages: 400,
    repeats: 1,
  };
  const found = await tinyRun(t, { run: (run) => measureBuffers(run, settings) });
  assert.deepEqual(deterministicCells(found.tables[0]!), [
    [1, 1, 4, 1, 925, 9714, 16_933],
    [2, 4, 8, 1, null, null, null],
  ]);
});
