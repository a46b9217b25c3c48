import assert from "node:assert/strict";
import { test } from "node:test";
import { experiment as order } from "../../../src/lab/experiments/order.ts";
import { experiment as predictor } from "../../../src/lab/experiments/predictor.ts";
import { experiment as queues } from "../../../src/lab/experiments/queues.ts";
import { experiment as supersteps } from "../../../src/lab/experiments/supersteps.ts";
import { columnOf, countedColumns, tinyRun } from "../tiny-run.ts";

for (const experiment of [predictor, order]) {
  test(`${experiment.name}: equal seeds give equal counts, other seeds others`, async (t) => {
    const first = countedColumns(await tinyRun(t, experiment));
    assert.deepEqual(countedColumns(await tinyRun(t, experiment)), first);
    assert.notDeepEqual(countedColumns(await tinyRun(t, experiment, { seed: 2 })), first);
  });
}

test("queues: equal seeds give equal counts; Quickheap compares less than a heap", async (t) => {
  const findings = await tinyRun(t, queues);
  const again = await tinyRun(t, queues);
  assert.deepEqual(countedColumns(again), countedColumns(findings));
  const heap = columnOf(findings, "Figure 8: key", "binary heap") as number[];
  const quickheap = columnOf(findings, "Figure 8: key", "Quickheap") as number[];
  assert.ok(quickheap.every((value, i) => value < heap[i]!));
  assert.deepEqual(columnOf(findings, "Table 1", "T"), [1, 2, 4, 8]);
});

// In one test, because its real crawls on an engine take long.
test("supersteps: equal seeds give equal counts; every machine fetches every page; only other processors are foreign", async (t) => {
  const findings = await tinyRun(t, supersteps);
  assert.deepEqual(countedColumns(await tinyRun(t, supersteps)), countedColumns(findings));
  const pages = columnOf(findings, "Failures of the whole crawl", "pages");
  assert.deepEqual(new Set(pages), new Set([3000]));
  const foreign = columnOf(findings, "Failures of the whole crawl", "foreign") as number[];
  assert.equal(foreign[0], 0);
  assert.ok(foreign.slice(1).every((count) => count > 0));
});

test("predictor: R grows with the tolerance; what nobody had announced is a part of the error", async (t) => {
  // Large enough for several exchanges at the smallest tolerance.
  const pick = <T>(quick: T): T => quick;
  const findings = await tinyRun(t, predictor, { pick });
  const R = columnOf(findings, "Figure 7", "R = max C / S") as number[];
  assert.ok(R.slice(1, 10).every((value, i) => value >= R[i]!));
  const errors = columnOf(findings, "Figure 7", "mean A/B") as number[];
  const unknown = columnOf(findings, "Figure 7", "of it unknown before") as number[];
  assert.ok(unknown.every((value, i) => value <= errors[i]!));
  assert.ok(unknown.some((value, i) => value > 0 && value < errors[i]!));
});
