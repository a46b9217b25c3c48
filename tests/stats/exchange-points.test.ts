import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exchangesOf, readExchanges } from "../../src/stats/exchange-points.ts";
import { tempFolder } from "../support/orbweaver.ts";

const line = (seconds: number, thread: number, more: object = {}) =>
  JSON.stringify({
    ...{ seconds, thread, exchanges: 1, visits: 10, blocks: 2, lateOwn: 3, lateForeign: 1 },
    ...{ q: 5, pivot: 0.5, ...more },
  });

test("exchanges are summed by thread, also over a resumed run, and stand as they stood last", (t) => {
  const file = join(tempFolder(t), "exchanges.jsonl");
  const cut = line(3, 0).slice(0, 20);
  writeFileSync(file, [line(1, 0), line(2, 1), line(0.5, 0, { q: 9 }), cut, "null", ""].join("\n"));
  const { threads, points } = readExchanges(file);
  assert.deepEqual(threads, [
    {
      ...{ thread: 0, exchanges: 2, visits: 20, blocks: 4, lateOwn: 6, lateForeign: 2 },
      ...{ q: 9, pivot: 0.5 },
    },
    {
      ...{ thread: 1, exchanges: 1, visits: 10, blocks: 2, lateOwn: 3, lateForeign: 1 },
      ...{ q: 5, pivot: 0.5 },
    },
  ]);
  // The second run begins where the first had come to.
  assert.deepEqual(
    points.map(({ seconds, visits }) => [seconds, visits]),
    [
      [1.25, 10],
      [2.25, 10],
      [2.75, 10],
    ],
  );
});

test("a long crawl has few points, and they add up", () => {
  const lines = Array.from({ length: 5000 }, (_, i) => line(i / 4, i % 3));
  const { points } = exchangesOf(lines);
  assert.ok(points.length > 40 && points.length <= 120, `${points.length}`);
  assert.equal(
    points.reduce((sum, { lateOwn }) => sum + lateOwn, 0),
    15_000,
  );
});

test("a crawl without a file has no exchanges", (t) => {
  assert.deepEqual(readExchanges(join(tempFolder(t), "none")), { threads: [], points: [] });
});
