import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Figures, NO_FIGURES } from "../../src/stats/crawl-figures.ts";
import { readSeries, SERIES_EVERY_MS, SeriesFile } from "../../src/stats/series-file.ts";
import { errorsOf, pointBetween, pointsOf } from "../../src/stats/series-points.ts";
import { tempFolder } from "../support/orbweaver.ts";

const SMALL = { maxLines: 100, recentSeconds: 20, oldLines: 40 };

function at(run: number, runSeconds: number, more: Partial<Figures> = {}): Figures {
  const seconds = (run - 1) * 1000 + runSeconds;
  return {
    ...NO_FIGURES,
    state: "running",
    run,
    runSeconds,
    seconds,
    pages: 10 * seconds,
    ...more,
  };
}

test("a series has a line per second, and the same figures when it is read", (t) => {
  const path = join(tempFolder(t), "series.jsonl");
  const file = new SeriesFile(path);
  for (let ms = 0; ms <= 3 * SERIES_EVERY_MS; ms += SERIES_EVERY_MS / 4)
    file.tick(ms, () => at(1, ms / 1000));
  // A crawl that is killed now has all of them.
  assert.equal(readSeries(path).length, 4);
  file.close(at(1, 3.5, { state: "finished" }));
  const lines = readSeries(path);
  assert.deepEqual(
    lines.map(({ runSeconds }) => runSeconds),
    [0, 1, 2, 3, 3.5],
  );
  assert.equal(lines.at(-1)!.state, "finished");
});

test("a long series stays short: old lines are thinned out, new ones and the last of each run stay", (t) => {
  const path = join(tempFolder(t), "series.jsonl");
  for (const run of [1, 2, 3]) {
    const file = new SeriesFile(path, SMALL);
    for (let second = 1; second <= 500; second++)
      file.tick(1e6 * run + 1000 * second, () => at(run, second, { errors: { http_404: second } }));
    file.close(at(run, 500, { state: "limit", errors: { http_404: 500 } }));
    const lines = readSeries(path);
    assert.ok(lines.length <= SMALL.maxLines + 1, `${lines.length} lines`);
    const recent = lines.filter((line) => line.run === run && line.runSeconds > 480);
    assert.equal(recent.length, 21);
    for (let before = 1; before <= run; before++)
      assert.ok(lines.some((line) => line.run === before && line.state === "limit"));
  }
  assert.deepEqual(errorsOf(readSeries(path)), { http_404: 1500 });
});

test("what a crash left of a line is cut off, and damaged lines are left out", (t) => {
  const path = join(tempFolder(t), "series.jsonl");
  const file = new SeriesFile(path);
  file.tick(0, () => at(1, 1));
  file.abandon();
  appendFileSync(path, '\0\0\0\n{"version":1,"sec');
  const again = new SeriesFile(path);
  again.close(at(2, 1));
  assert.deepEqual(
    readSeries(path).map(({ run }) => run),
    [1, 2],
  );
  assert.ok(!readFileSync(path, "utf8").includes('"sec\n'));
});

test("points are rates between lines; counts of a run begin at 0", () => {
  const latency = {
    counts: NO_FIGURES.latency.counts.map((_, i) => (i === 3 ? 100 : 0)),
    sumMs: 1,
  };
  const lines = [at(1, 10), at(1, 20, { errors: { robots: 5 }, latency }), at(2, 5)];
  const [first, second, third] = pointsOf(lines, 0, 100);
  assert.equal(first!.pagesPerSecond, 10);
  assert.equal(second!.pagesPerSecond, 10);
  assert.deepEqual(second!.errorsPerSecond, { robots: 0.5 });
  assert.equal(second!.p50, 7.5);
  assert.equal(third!.p50, null);
  assert.deepEqual(third!.errorsPerSecond, {});
  assert.deepEqual(
    pointsOf(lines, 15, 100).map(({ seconds }) => seconds),
    [20, 1005],
  );
});

test("a last line right behind another one ends the point of that one", () => {
  const points = pointsOf([at(1, 10), at(1, 20), at(1, 20.05)], 0, 100);
  assert.deepEqual(
    points.map(({ seconds, pagesPerSecond }) => [seconds, Math.round(pagesPerSecond)]),
    [
      [10, 10],
      [20.05, 10],
    ],
  );
});

test("busy stages never add up to more than the CPU that the process had", () => {
  const stages = { network: 9, read: 3, follow: 0, store: 1, commit: 0 };
  const { cpu } = pointBetween(at(1, 0), at(1, 2, { stages, cpuSeconds: 2 }));
  assert.deepEqual(cpu, { read: 0.75, follow: 0, store: 0.25, commit: 0, rest: 0 });
});

test("however many lines there are, a chart gets few points, and each tells of all the time before it", () => {
  const lines = Array.from({ length: 5000 }, (_, i) => at(1, i + 1));
  const points = pointsOf(lines, 0, 200);
  assert.ok(points.length <= 202, `${points.length} points`);
  assert.ok(points.slice(1).every(({ pagesPerSecond }) => Math.abs(pagesPerSecond - 10) < 1e-9));
});
