import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CrawlReport } from "../../src/crawl/crawl-summary.ts";
import { OUTCOME } from "../../src/frontier/finish.ts";
import type { Flow, HourlyLine } from "../../src/stats/hourly-statistics.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { openResults } from "../../src/store/reports/crawl-results.ts";
import { readStatistics } from "../../src/store/reports/result-lists.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { type ProgramMutant, withMutant } from "../attacks/mutant-program.ts";
import {
  collect,
  type Finished,
  MISMATCH,
  orbweaver,
  readLines,
  readLog,
  readPages,
  tempFolder,
} from "../support/orbweaver.ts";
import { readSelfCheck } from "../support/self-check.ts";

const PAGES = 300;
const PROFILE = {
  ...PROFILES.small,
  pages: PAGES,
  hosts: 6,
  errorRate: 0.06,
  redirectShare: 0.05,
};
const SHOWN = ["--json", "--quiet"];
const BUFFER = 20;

const report = (out: string): CrawlReport =>
  JSON.parse(readFileSync(join(out, "reports/summary.json"), "utf8"));
const linesOf = (out: string, name: string) =>
  readFileSync(join(out, "reports", name), "utf8")
    .split("\n")
    .slice(0, -1);
const sum = (flows: readonly Flow[]) =>
  flows.reduce((all, { added, removed }) => all + added - removed, 0);

async function webOf(t: TestContext, latencyMs = 0) {
  const web = await startWeb({ profile: PROFILE, latencyMs });
  t.after(() => web.close());
  return web;
}

/** Everything that the reports of a folder say, compared by URLs and lines, not by the program's own sums. */
function compare(out: string): CrawlReport {
  const told = report(out);
  const log = readLog(out).filter(({ outcome }) => outcome !== "unavailable");
  const count = (...outcomes: string[]) =>
    new Set(log.filter((line) => outcomes.includes(line.outcome)).map(({ url }) => url)).size;
  assert.equal(told.pages, count("page"));
  assert.equal(told.pages, readPages(out).length);
  assert.equal(told.failed, count("failed"));
  assert.equal(told.redirects, count("redirect"));
  assert.equal(told.urlsCrawled, count("page", "redirect", "sitemap", "unchanged"));
  const ended = told.urlsCrawled + told.failed + told.refused;
  assert.equal(told.urlsKnown, ended + told.urlsQueued + told.urlsLost);
  // Issue 16, 11: what failed is in one list, in all reports.
  const crawled = new Set(linesOf(out, "crawled.txt").map((line) => line.split("\t")[0]!));
  const uncrawled = new Set(linesOf(out, "uncrawled.txt").slice(1));
  for (const { url, outcome, parent } of log) {
    const isCrawled = outcome !== "failed" && outcome !== "refused";
    if (parent === undefined) continue;
    assert.deepEqual([crawled.has(url), uncrawled.has(url)], [isCrawled, !isCrawled], url);
  }
  const rows = readStatistics(join(out, "reports"));
  const row = (name: string) => Number(rows.get(name));
  assert.deepEqual([row("crawled"), row("not crawled")], [crawled.size, uncrawled.size]);
  assert.equal(crawled.size + uncrawled.size + row("seeds"), told.urlsKnown - told.urlsLost);
  assert.deepEqual(
    [row("pages"), row("pages of this run"), row("bytes"), row("runs")],
    [told.pages, told.thisRun.pages, told.bytes, told.runs],
  );
  const hourly = readLines<HourlyLine>(crawlPaths(out).hourly);
  assert.equal(
    hourly.reduce((all, { stored }) => all + stored, 0),
    told.pages,
  );
  assert.equal(
    hourly.reduce((all, { queues }) => all + sum(queues), 0),
    told.urlsKnown - ended,
  );
  // Issue 16, 10: never more pages in a buffer than it holds, and none at the end of a run.
  const inside = new Map<string, number>();
  for (const { run, buffers } of hourly) {
    for (const [i, { added, removed }] of buffers.entries()) {
      const before = inside.get(`${run} ${i}`) ?? 0;
      inside.set(`${run} ${i}`, before + added - removed);
      assert.ok(before + added - removed <= BUFFER && added >= 0 && removed >= 0);
    }
  }
  assert.deepEqual(readSelfCheck(out)?.problems, []);
  assert.equal(readSelfCheck(out)?.run, told.runs);
  return told;
}

/** The figures that a run must not change when there is nothing to do. */
function lasting({ pages, failed, refused, bytes, urlsKnown, redirects, retries }: CrawlReport) {
  return { pages, failed, refused, bytes, urlsKnown, redirects, retries };
}

async function resume(out: string, ...more: string[]): Promise<Finished> {
  return orbweaver(["resume", out, ...SHOWN, ...more]);
}

for (const [threads, store] of [
  ["1", "warc"],
  ["2", "tree"],
  ["4", "warc"],
  ["2", "none"],
] as const) {
  test(`issue 16, 9 to 12: limit, kill -9, resume and resume again, ${threads} threads, --store ${store}: this run and all runs add up`, async (t) => {
    const web = await webOf(t, 5);
    const out = join(tempFolder(t), "out");
    const rules = ["--delay", "0", "--sync-every", "20ms", "--buffer-size", String(BUFFER)];
    const how = ["--threads", threads, "--store", store, "--stats-every", "1s"];
    const limit = ["--max-pages", "100"];
    const args = ["crawl", ...web.start, "--out", out, ...SHOWN, ...rules, ...how, ...limit];
    const first = await orbweaver(args);
    assert.equal(first.code, 3, first.stderr);
    const one = compare(out);
    assert.deepEqual([one.pages, one.thisRun.pages, one.runs], [100, 100, 1]);
    const log = crawlPaths(out).log;
    const part = log.replace(".jsonl", "-0.jsonl.part");
    const logged = () =>
      [log, part].reduce((all, path) => all + (existsSync(path) ? readLines(path).length : 0), 0);
    const goal = logged() + 40;
    const killed = await orbweaver(
      ["resume", out, ...SHOWN, "--max-pages", "9999"],
      async (kill) => {
        while (logged() < goal) await sleep(2);
        kill("SIGKILL");
      },
    );
    assert.equal(killed.code, null);
    const before = openResults(out).committed.outcomes[OUTCOME.page]!;
    const last = await resume(out);
    assert.equal(last.code, 0, last.stderr);
    const all = compare(out);
    assert.deepEqual([all.pages, all.runs], [web.truth().reachable, 3]);
    assert.ok(before >= 100 && all.thisRun.pages > 0);
    assert.equal(all.thisRun.pages, all.pages - before);
    assert.ok(all.seconds > one.seconds + all.thisRun.seconds, "the killed run took time");
    assert.equal(JSON.parse(last.stdout).thisRun.pages, all.thisRun.pages);
    const again = await resume(out);
    assert.equal(again.code, 0, again.stderr);
    const more = compare(out);
    assert.deepEqual(lasting(more), lasting(all), "nothing gets worse");
    assert.deepEqual([more.thisRun.pages, more.thisRun.bytes, more.runs], [0, 0, 4]);
    assert.ok(more.seconds > all.seconds);
    const people = await orbweaver(["resume", out]);
    assert.match(people.stdout, /^ +this run +all 5 runs$/m);
  });
}

for (const sync of ["lock-free", "monitor", "semaphore"]) {
  test(`issue 16, 10: --frontier shared --sync ${sync} stopped by a limit lists what is queued`, async (t) => {
    const web = await webOf(t);
    const out = join(tempFolder(t), "out");
    const how = ["--frontier", "shared", "--sync", sync, "--threads", "3"];
    const rules = ["--delay", "0", "--max-pages", "80", "--buffer-size", String(BUFFER)];
    const args = ["crawl", ...web.start, "--out", out, ...SHOWN, ...how, ...rules];
    const { code, stderr, stdout } = await orbweaver(args);
    assert.equal(code, 3, stderr);
    const { urlsQueued, urlsLost } = compare(out);
    assert.ok(urlsQueued > 50 && urlsLost === 0, stdout);
    const seeds = Number(readStatistics(join(out, "reports")).get("seeds"));
    assert.equal(seeds, web.start.length);
  });
}

const MUTANTS: readonly (ProgramMutant & { readonly problem: RegExp })[] = [
  {
    name: "a waiting URL is not listed",
    from: "eachWaiting((link) => uncrawled.addWaiting(link));",
    to: "eachWaiting((link) => link.low % 7 === 0 || uncrawled.addWaiting(link));",
    problem: /URLs known = crawled \+ not crawled \+ lost/,
  },
  {
    name: "a failure is not counted",
    from: "this.#counters.set(name, stats.outcomes[outcome]);",
    to: 'this.#counters.set(name, name === "failed" ? 0 : stats.outcomes[outcome]);',
    problem: /failed counted = failed in the journals/,
  },
  {
    name: "a page leaves a buffer uncounted",
    from: "Atomics.add(this.#parts.taken, crawler.thread, 1);",
    to: "Atomics.add(this.#parts.taken, crawler.thread, 0);",
    problem: /hand-off buffer/,
  },
  {
    name: "the first hourly line holds the runs before",
    from: "stored: sample.stored - before.stored,",
    to: "stored: sample.stored,",
    problem: /stored = pages/,
  },
];

for (const mutant of MUTANTS) {
  test(`issue 16, 12: the self-check notices: ${mutant.name}`, async (t) => {
    const web = await webOf(t);
    const out = join(tempFolder(t), "out");
    // With a builder thread from the start, so that every page goes through a buffer.
    const rules = ["--delay", "0", "--buffer-size", String(BUFFER), "--builders", "1"];
    await withMutant(mutant, async (program) => {
      const run = async (...args: string[]) => {
        const child = spawn(process.execPath, [program, ...args, ...SHOWN], {
          stdio: ["ignore", "pipe", "pipe"],
        });
        return collect(child, true).ended;
      };
      const first = await run("crawl", ...web.start, "--out", out, ...rules, "--max-pages", "100");
      // What only goes wrong between two runs shows in the second one.
      const isFirst = first.code === 1;
      const noticed = isFirst ? first : await run("resume", out, "--max-pages", "150");
      assert.equal(noticed.code, isFirst ? 1 : 5, noticed.stdout);
      assert.ok(noticed.stderr.includes(MISMATCH), noticed.stderr);
      assert.match(noticed.stderr, mutant.problem);
      const { ok, problems } = readSelfCheck(out)!;
      assert.equal(ok, false);
      assert.deepEqual(JSON.parse(noticed.stdout).selfCheck, problems);
    });
  });
}
