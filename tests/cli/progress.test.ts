import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { COLOURS, coloursOf, NO_COLOURS } from "../../src/cli/colours.ts";
import { Progress, Rate } from "../../src/cli/progress.ts";
import { barOf, layOut, shareOfLimit, slowestOf } from "../../src/cli/progress-view.ts";
import type { CrawlProgress } from "../../src/crawl/events.ts";
import { type Figures, NO_FIGURES } from "../../src/stats/crawl-figures.ts";
import { FakeTerminal } from "./fake-terminal.ts";

const RUN = { pages: 12_345, failed: 7, refused: 42, bytes: 1_234_567_890, seconds: 0 };

const SNAPSHOT: CrawlProgress = {
  ...RUN,
  queued: 1_000_000,
  inFlight: 128,
  hostsWaiting: 9,
  rssBytes: 150 * 2 ** 20,
  isPaused: false,
  redirects: 3,
  known: 1_012_394,
  runs: 1,
  thisRun: RUN,
};

const FIELDS = [
  "12,345 pages",
  "0 pages/s",
  "1,000,000 queued",
  "128 in flight",
  "7 failed",
  "42 refused",
  "1.2 GB",
  "9 hosts waiting",
  "0.0 s",
  "RSS 150 MiB",
];

test("on a terminal the view is redrawn in place, four times a second, and removed at the end", () => {
  const terminal = new FakeTerminal(80);
  let now = 0;
  const progress = new Progress(terminal, { now: () => now, live: true });
  terminal.write("before\n");
  for (; now < 10_000; now += 10) {
    progress.update({ ...SNAPSHOT, thisRun: { ...RUN, pages: now } });
  }
  assert.ok(terminal.hidden, "no cursor flickers in the view");
  assert.equal(terminal.writes, 1 + 1 + 40, "before, hide the cursor, then four views a second");
  const [before, ...view] = terminal.lines();
  assert.equal(before, "before");
  assert.equal(view.length, 2);
  assert.match(view[0]!, /^9,750 pages {2}1,000 pages\/s {2}/);
  progress.close();
  progress.close();
  progress.update(SNAPSHOT);
  assert.deepEqual(terminal.lines(), ["before"]);
  assert.ok(!terminal.hidden);
});

test("the view holds every figure, whatever the width", () => {
  for (const columns of [20, 30, 40, 79, 80, 200]) {
    const terminal = new FakeTerminal(columns);
    const progress = new Progress(terminal, { now: () => 0, live: true });
    progress.update(SNAPSHOT);
    const shown = terminal.lines();
    assert.deepEqual(
      shown.flatMap((line) => line.split("  ")),
      FIELDS,
      `${columns}`,
    );
    for (const line of shown) assert.ok(line.length < columns);
    progress.close();
  }
});

test("a window that becomes narrower or wider leaves no rubbish", () => {
  const terminal = new FakeTerminal(100);
  let now = 0;
  const progress = new Progress(terminal, { now: () => now, live: true });
  terminal.write("top\n");
  for (const columns of [100, 30, 25, 60, 200, 40]) {
    terminal.resize(columns);
    now += 250;
    progress.update(SNAPSHOT);
    const [top, ...view] = terminal.lines();
    assert.equal(top, "top");
    assert.equal(view.filter((line) => line.includes("12,345 pages")).length, 1, `${columns}`);
    assert.equal(view.filter((line) => line.includes("RSS")).length, 1, `${columns}`);
  }
  progress.close();
  assert.deepEqual(terminal.lines(), ["top"]);
});

test("a note stands above the view and cannot steer the terminal", () => {
  const terminal = new FakeTerminal(80);
  const progress = new Progress(terminal, { now: () => 0, live: true });
  progress.note("early");
  progress.update(SNAPSHOT);
  progress.note("host \u001b[2J waits");
  const lines = terminal.lines();
  assert.deepEqual(lines.slice(0, 2), ["early", "host \\u{1b}[2J waits"]);
  assert.equal(lines.length, 4);
  progress.close();
  assert.deepEqual(terminal.lines(), ["early", "host \\u{1b}[2J waits"]);
});

test("in a pipe there is one plain line per five seconds", () => {
  const output = new PassThrough();
  let now = 0;
  const progress = new Progress(output, { now: () => now });
  for (; now < 16_000; now += 100)
    progress.update({ ...SNAPSHOT, thisRun: { ...RUN, pages: now / 100 } });
  progress.close();
  const lines = String(output.read()).split("\n");
  assert.equal(lines.length, 4);
  assert.equal(
    lines[0],
    "50 pages, 10 pages/s, 1,000,000 queued, 128 in flight, 7 failed, 42 refused, 1.2 GB, 9 hosts waiting, 5.0 s, RSS 150 MiB",
  );
  assert.ok(!lines.join("").includes("\x1b"));
});

test("issue 16: one of something is no plural", () => {
  const output = new PassThrough();
  let now = 0;
  const progress = new Progress(output, { now: () => now });
  now = 5000;
  progress.update({ ...SNAPSHOT, thisRun: { ...RUN, pages: 1 }, hostsWaiting: 1 });
  assert.match(String(output.read()), /^1 page, .*, 1 host waiting, /);
});

test("issue 16: after a resume every figure says this run and in all", () => {
  const output = new PassThrough();
  let now = 0;
  const progress = new Progress(output, { now: () => now });
  const thisRun = { pages: 3, failed: 1, refused: 0, bytes: 2_000, seconds: 5 };
  now = 5000;
  progress.update({ ...SNAPSHOT, runs: 2, seconds: 65, thisRun });
  const line = String(output.read());
  assert.match(line, /^3 pages \(12,345 in all\), 0 pages\/s, /);
  assert.match(
    line,
    /, 1 failed \(7 in all\), 0 refused \(42 in all\), 2\.0 kB \(1\.2 GB in all\), /,
  );
  assert.match(line, /, 5\.0 s \(1 m 05 s in all\), RSS /);
});

test("quiet shows nothing, except a note", () => {
  const output = new PassThrough();
  let now = 0;
  const progress = new Progress(output, { now: () => now, quiet: true, live: true });
  for (; now < 16_000; now += 100) progress.update(SNAPSHOT);
  assert.equal(output.read(), null);
  progress.note("disk full");
  progress.close();
  assert.equal(String(output.read()), "disk full\n");
});

test("the rate follows the last seconds", () => {
  const rate = new Rate();
  assert.equal(rate.perSecond(), 0);
  for (let at = 0; at <= 10_000; at += 500) rate.add(at, at / 10);
  assert.equal(rate.perSecond(), 100);
  for (let at = 10_500; at <= 20_000; at += 500) rate.add(at, 1000);
  assert.equal(rate.perSecond(), 0);
});

test("lines never exceed the width and lose no field", () => {
  const fields = fc.array(fc.stringMatching(/^[a-z0-9,]{1,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(fields, fc.integer({ min: 12, max: 100 }), (words, width) => {
      const lines = layOut([words.map((text) => ({ text }))], width);
      assert.deepEqual(
        lines.flatMap(({ painted }) => painted.split("  ")),
        words,
      );
      assert.ok(lines.every(({ length, painted }) => length === painted.length && length <= width));
    }),
  );
});

const LIMITED: Figures = {
  ...NO_FIGURES,
  state: "running",
  pages: 620,
  known: 2000,
  queued: 900,
  inFlight: 3,
  hostsWaiting: 12,
  runSeconds: 60,
  threads: 1,
  places: 64,
  errors: { http_404: 12, robots: 3, dns_failure: 2, other: 1 },
  limits: { pages: 1000, bytes: null, seconds: null },
};

test("with a limit there is a bar, its share and the time left, at every width", () => {
  for (const columns of [40, 80, 160]) {
    const terminal = new FakeTerminal(columns);
    const progress = new Progress(terminal, { now: () => 0, live: true, colours: COLOURS });
    progress.outlook({ ...LIMITED, pages: 500, runSeconds: 48 });
    progress.outlook(LIMITED);
    progress.slowest("evil\u001b[2J.example: 300 queued");
    // The bar is as new as the number of pages beside it, not as the newest look at everything else.
    progress.update({ ...SNAPSHOT, pages: 730 });
    const lines = terminal.lines();
    const text = lines.join("\n");
    assert.match(lines[0]!, /^█+░+/);
    for (const part of [
      "73 % of --max-pages 1,000",
      "about 38.0 s left",
      "limited by politeness: 12 hosts",
      "slowest host evil\\u{1b}[2J",
      "errors http_404 12",
    ])
      assert.ok(text.includes(part), `${columns}: ${part}`);
    for (const line of lines) assert.ok(line.length < columns, line);
    assert.ok(terminal.colours > 0);
    for (const narrow of [columns - 7, columns + 9]) {
      terminal.resize(narrow);
      progress.note(`now ${narrow}`);
    }
    progress.close();
    assert.deepEqual(terminal.lines(), [`now ${columns - 7}`, `now ${columns + 9}`]);
  }
});

test("a plain line in a pipe has share, time left, what limits the crawl and errors, and no colours", () => {
  const output = new PassThrough();
  let now = 0;
  const progress = new Progress(output, { now: () => now });
  progress.outlook({ ...LIMITED, pages: 500, runSeconds: 48 });
  progress.outlook(LIMITED);
  now = 5000;
  progress.update({ ...SNAPSHOT, pages: 730 });
  assert.match(
    String(output.read()),
    /, 73 % of --max-pages 1,000, about 38\.0 s left, limited by politeness: 12 hosts wait for their delay, up to 64 in flight, errors http_404 12, robots 3, dns_failure 2\n$/,
  );
});

test("the bar follows the limit that is nearest", () => {
  const limits = { pages: 1000, bytes: 100, seconds: 600 };
  assert.deepEqual(shareOfLimit({ ...LIMITED, bytes: 90, limits }), {
    share: 0.9,
    limit: "--max-size 100 B",
  });
  assert.equal(shareOfLimit(NO_FIGURES), undefined);
  assert.deepEqual(barOf(0.999, 10, true), ["█████████", "░"]);
  assert.deepEqual(barOf(1, 4, false), ["####", ""]);
});

test("colours are for terminals whose users want them", () => {
  const terminal = new FakeTerminal(80);
  assert.equal(coloursOf(terminal, {}), COLOURS);
  assert.equal(coloursOf(terminal, { NO_COLOR: "" }), COLOURS);
  assert.equal(coloursOf(terminal, { NO_COLOR: "1" }), NO_COLOURS);
  assert.equal(coloursOf(terminal, { TERM: "dumb" }), NO_COLOURS);
  assert.equal(coloursOf(terminal, {}, false), NO_COLOURS);
  assert.equal(coloursOf(new PassThrough(), {}), NO_COLOURS);
});

test("the slowest host is the one whose queue takes longest at its delay", () => {
  const hosts = [
    { name: "many.test", queued: 50, delayMs: 1000 },
    { name: "slow.test", queued: 10, delayMs: 30_000 },
    { name: "done.test", queued: 0, delayMs: null },
  ];
  assert.equal(slowestOf(hosts), "slow.test: 10 URLs queued, at least 5 m 00 s at its delay");
  assert.equal(slowestOf(hosts.slice(2)), undefined);
});
