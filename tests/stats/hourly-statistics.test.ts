import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type FlowSample, HourlyStatistics, sumHourly } from "../../src/stats/hourly-statistics.ts";
import { freshFolder } from "../store/sample-capture.ts";

const NOTHING: FlowSample = { stored: 0, bytes: 0, queues: [], buffers: [] };

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
    const buffers = [{ added: 5 * n, removed: 5 * n }];
    return { stored: 3 * n, bytes: 100 * n, queues, buffers };
  };
  statistics.tick(5000, 0, () => sample(1));
  assert.equal(asked, 0, "nothing has begun");
  statistics.begin({ run: 1, lostSeconds: 0 }, 0, NOTHING);
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
    run: 1,
    seconds: 1.5,
    stored: 9,
    pages: 12,
    bytes: 300,
    queues: [
      { added: 30, removed: 12 },
      { added: 3, removed: 0 },
    ],
    buffers: [{ added: 15, removed: 15 }],
  });
});

test("what a run that was killed could not tell is told by the next one, as a line of that run", (t) => {
  const path = join(freshFolder(t), "hourly_statistics.jsonl");
  const queue = (added: number, removed: number) => [{ added, removed }];
  const at = (stored: number): FlowSample => ({
    stored,
    bytes: 10 * stored,
    queues: queue(2 * stored, stored),
    buffers: queue(7, 7),
  });
  const first = new HourlyStatistics(path, 1000, 0);
  first.begin({ run: 1, lostSeconds: 0 }, 0, NOTHING);
  first.tick(1000, 0, () => at(5));
  first.abandon();
  const second = new HourlyStatistics(path, 1000, 0);
  second.begin({ run: 2, lostSeconds: 1.5 }, 0, at(8));
  second.close(500, 0, { ...at(8), buffers: [] });
  const third = new HourlyStatistics(path, 1000, 0);
  third.begin({ run: 3, lostSeconds: 0 }, 0, at(8));
  third.close(250, 0, at(20));
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const told = lines
    .map((line) => JSON.parse(line))
    .map((l) => [l.run, l.seconds, l.stored, l.pages]);
  const expected = [
    [1, 1, 5, 5],
    [1, 1.5, 3, 8],
    [2, 0.5, 0, 8],
    [3, 0.25, 12, 20],
  ];
  assert.deepEqual(told, expected);
  assert.deepEqual(JSON.parse(lines[1]!).queues, queue(6, 3));
  assert.deepEqual(sumHourly(path), { stored: 20, bytes: 200, added: 40, removed: 20 });
});
