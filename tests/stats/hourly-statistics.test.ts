import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type FlowSample, HourlyStatistics } from "../../src/stats/hourly-statistics.ts";
import { freshFolder } from "../store/sample-capture.ts";

test("a line per interval, and all lines together are the crawl", (t) => {
  const path = join(freshFolder(t), "hourly_statistics.jsonl");
  const statistics = new HourlyStatistics(path, 1000, 500);
  let asked = 0;
  const sample = (n: number): FlowSample => {
    asked++;
    const queues = [
      { added: 10 * n, removed: 4 * n },
      { added: n, removed: 0 },
    ];
    return { stored: 3 * n, queues, buffers: [{ added: 5 * n, removed: 5 * n }] };
  };
  statistics.tick(1499, 0, () => sample(1));
  assert.equal(asked, 0);
  statistics.tick(1500, 0, () => sample(1));
  statistics.tick(2499, 0, () => sample(2));
  statistics.tick(3000, 60_000, () => sample(4));
  statistics.close(3250, 61_000, sample(5));
  const lines = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ seconds, stored }) => [seconds, stored]),
    [
      [1, 3],
      [1.5, 9],
      [0.25, 3],
    ],
  );
  assert.deepEqual(lines[1], {
    time: "1970-01-01T00:01:00.000Z",
    seconds: 1.5,
    stored: 9,
    queues: [
      { added: 30, removed: 12 },
      { added: 3, removed: 0 },
    ],
    buffers: [{ added: 15, removed: 15 }],
  });
});
