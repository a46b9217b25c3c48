import assert from "node:assert/strict";
import { test } from "node:test";
import { COLOURS } from "../../src/cli/colours.ts";
import {
  count,
  exitCodeOf,
  mismatchText,
  summaryJson,
  summaryText,
} from "../../src/cli/print-summary.ts";
import type { CrawlSummary } from "../../src/crawl/crawl-summary.ts";

const RUN = {
  pages: 1229,
  failed: 2,
  refused: 3,
  bytes: 1_500_000,
  seconds: 2,
  cpuSeconds: 0.1 + 0.2,
  maxRssMiB: 101.25,
  pagesPerSecond: 614.5,
};

const SUMMARY: CrawlSummary = {
  out: "crawls/\u001b[1mx",
  maxRssMiB: 101.25,
  cpuSeconds: 0.1 + 0.2,
  seconds: 2,
  bytes: 1_500_000,
  urlsQueued: 0,
  urlsKnown: 1234,
  urlsCrawled: 1229,
  pagesPerSecond: 614.5,
  selfCheck: [],
  thisRun: RUN,
  runs: 1,
  refused: 3,
  failed: 2,
  pages: 1229,
  ended: "finished",
  limit: null,
  next: null,
  seedFaults: [],
  urlsLost: 0,
  urlsTakenTwice: 0,
};

const FAULT = {
  url: "http://h/\u001b[2J",
  outcome: "refused",
  error: "robots",
  reason: "robots.txt forbids it (line 2)",
};

test("--json has exactly its keys, in their order, on one line", () => {
  const line = summaryJson({ ...SUMMARY, extra: 1 } as CrawlSummary);
  assert.equal(
    line,
    '{"ended":"finished","pages":1229,"failed":2,"refused":3,"urlsKnown":1234,"urlsCrawled":1229,"urlsQueued":0,"bytes":1500000,"seconds":2,"cpuSeconds":0.3,"maxRssMiB":101.25,"pagesPerSecond":614.5,"out":"crawls/\\u001b[1mx","limit":null,"next":null,"seedFaults":[],"urlsLost":0,"urlsTakenTwice":0,"runs":1,"thisRun":{"pages":1229,"failed":2,"refused":3,"bytes":1500000,"seconds":2,"cpuSeconds":0.3,"maxRssMiB":101.25,"pagesPerSecond":614.5},"selfCheck":[]}',
  );
});

test("the summary for people has the same figures and steers no terminal", () => {
  const text = summaryText(SUMMARY);
  for (const part of [
    "Finished",
    "1,229 (615/s)",
    "1,234: 1,229 crawled, 0 still queued",
    "1.5 MB",
    "2.0 s, 0.3 s of CPU",
    "101 MiB",
    "crawls/\\u{1b}[1mx",
  ]) {
    assert.ok(text.includes(part), part);
  }
  assert.ok(summaryText({ ...SUMMARY, seconds: 0 }).includes("  pages       1,229\n"));
});

test("each ending has its exit code", () => {
  const endings = ["finished", "limit", "interrupted"] as const;
  const codes = (seedFaults: CrawlSummary["seedFaults"]) =>
    endings.map((ended) => exitCodeOf({ ended, seedFaults, selfCheck: [], runs: 1 }));
  assert.deepEqual(codes([]), [0, 3, 130]);
  assert.deepEqual(codes([FAULT]), [6, 3, 130]);
  const mismatch = { seedFaults: [], selfCheck: ["1 against 2"] };
  for (const ended of endings) {
    assert.equal(exitCodeOf({ ended, ...mismatch, runs: 1 }), 1);
    assert.equal(exitCodeOf({ ended, ...mismatch, runs: 2 }), 5, "a folder that was resumed");
  }
});

test("issue 16: the end says why, and what to do next", () => {
  const next = "orbweaver resume out --max-pages 10";
  const cases: [change: Partial<CrawlSummary>, shown: RegExp][] = [
    [
      { ended: "limit", limit: { option: "--max-pages", value: "5", reached: 5 }, next },
      /^Stopped by a limit: --max-pages 5 \(5 pages\)\.\n[\s\S]*\nGo on with: orbweaver resume out --max-pages 10\nLook at it with: orbweaver report /,
    ],
    [
      { ended: "limit", limit: { option: "--max-time", value: "1s", reached: 1.25 } },
      /^Stopped by a limit: --max-time 1s \(1\.2 s\)\.\n[\s\S]*\nA shared frontier is not durable/,
    ],
    [
      { ended: "limit", limit: { option: "--max-size", value: "1MB", reached: 1_200_000 }, next },
      /^Stopped by a limit: --max-size 1MB \(1\.2 MB received\)\.\n/,
    ],
    [
      { ended: "interrupted", next: "orbweaver resume out" },
      /^Interrupted\.\n[\s\S]*\nGo on with: /,
    ],
    [{ next, urlsQueued: 1 }, /^Finished, except for 1 URL whose hosts did not answer\.\n/],
    [
      { seedFaults: [FAULT] },
      /^Nothing could be fetched\.\n {2}http:\/\/h\/\\u\{1b\}\[2J: refused, robots: robots\.txt forbids it \(line 2\)\n/,
    ],
  ];
  for (const [change, shown] of cases) assert.match(summaryText({ ...SUMMARY, ...change }), shown);
  const lossy = summaryText({ ...SUMMARY, urlsLost: 1, urlsTakenTwice: 2 }, { showsLoss: true });
  assert.match(lossy, /^ {2}lost +1 URL, 2 taken twice$/m);
});

test("the end names the three most frequent codes with what they mean, within the width", () => {
  const errors = { robots: 5, http_404: 1200, dns_failure: 2, connect_timeout: 3 };
  const wide = summaryText(SUMMARY, { errors });
  assert.match(
    wide,
    /\n {4}1,200 {2}http_404: the server answered with status 404\n {8}5 {2}robots: /,
  );
  assert.match(wide, /and 1 other code/);
  assert.ok(!wide.includes("\x1b"));
  for (const columns of [40, 80, 160]) {
    const text = summaryText(SUMMARY, { errors, columns });
    const from = text.indexOf("  what went wrong");
    for (const line of text.slice(from).split("\n").slice(0, 8))
      if (!line.startsWith("Look")) assert.ok(line.length <= columns, line);
  }
  const painted = summaryText(SUMMARY, { errors, colours: COLOURS });
  assert.ok(painted.includes(COLOURS.red("http_404")));
});

test("issue 16: after a resume this run and all runs stand side by side", () => {
  const text = summaryText({
    ...SUMMARY,
    runs: 2,
    thisRun: { ...RUN, pages: 0, pagesPerSecond: 0 },
  });
  assert.match(text, /^ +this run +all 2 runs$/m);
  assert.match(text, /^ {2}pages +0 \(0\/s\) +1,229 \(615\/s\)$/m);
});

test("issue 16: what does not add up is said, with the file, and steers no terminal", () => {
  assert.equal(mismatchText(SUMMARY), "");
  const text = mismatchText({ ...SUMMARY, selfCheck: ["pages: 1 against 2"] });
  assert.match(
    text,
    /do not add up.*\\u\{1b\}\[1mx\/reports\/self-check\.json; .*please report it\n {2}pages: 1 against 2\n$/,
  );
});

test("counts are readable", () => {
  assert.deepEqual([0, 0.25, 9.96, 10.4, 999, 1000, 1_234_567].map(count), [
    "0",
    "0.3",
    "10.0",
    "10",
    "999",
    "1,000",
    "1,234,567",
  ]);
});

test("a worker of a crawl on an engine does not count what is the engine's", () => {
  const limited = { ...SUMMARY, ended: "limit", next: null } as const;
  const text = summaryText(limited, { isElsewhere: true, isShared: false });
  assert.match(text, /URLs {8}[\d,]+ crawled by this worker; the engine knows what waits/);
  assert.doesNotMatch(text, /still queued|cannot be resumed/);
  assert.match(summaryText(limited), /cannot be resumed/);
});
