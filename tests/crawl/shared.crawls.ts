import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CORRECT_TECHNIQUES } from "../../src/frontier/shared/techniques/record-queue.ts";
import type { VisitedPage } from "../../src/store/reports/visited-list.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { orbweaver, readLog, readReport, tempFolder } from "../support/orbweaver.ts";

const SHARED = ["--frontier", "shared", "--json", "--quiet"];

// All of them, on real sites and with more threads: shared.conformance.ts.
const SOME_TECHNIQUES = CORRECT_TECHNIQUES.filter((_, number) => number % 3 === 0);

test("techniques crawl a web completely, each page once, with spills", async (t) => {
  const profile = { ...PROFILES.tiny, pages: 60, hosts: 4 };
  for (const [number, technique] of SOME_TECHNIQUES.entries()) {
    const web = await startWebProcess({ profile });
    t.after(() => web.close());
    const out = join(tempFolder(t), "out");
    const visited = number % 2 === 0 ? "cas" : "striped";
    const size = technique === "coarse" ? "grow" : "10";
    const { code, stdout, stderr } = await orbweaver([
      ...["crawl", ...web.start, "--scope", "any", "--allow-private", "127.0.0.0/8"],
      ...["--delay", "0", "--threads", "3", "--out", out, ...SHARED],
      ...["--sync", technique, "--frontier-size", size, "--visited", visited],
    ]);
    assert.deepEqual([code, stderr], [0, ""], technique);
    const truth = await web.truth();
    const report = await web.report();
    assert.deepEqual(
      [JSON.parse(stdout).pages, report.pages, report.repeated],
      [truth.reachable, truth.reachable, 0],
      technique,
    );
    const log = readLog(out);
    assert.equal(new Set(log.map(({ url }) => url)).size, log.length, technique);
    assert.equal(readReport(out).urlsLost, 0);
  }
});

test("--visited striped keeps parent, links and level of every page", async (t) => {
  const folder = tempFolder(t);
  const graph = join(folder, "tree.txt");
  // A tree, so that every page has one parent: 0 leads to 1, 2, 3; page p to 3p + 1 and the next two, as far as there are some.
  const pages = 40;
  const targets = (page: number) => [1, 2, 3].map((i) => 3 * page + i).filter((to) => to < pages);
  const lines = Array.from({ length: pages }, (_, page) => targets(page).join(" "));
  writeFileSync(graph, `${pages}\n${lines.join("\n")}\n`);
  const web = await startWebProcess({ graph });
  t.after(() => web.close());
  const out = join(folder, "out");
  const { code, stderr } = await orbweaver([
    ...["crawl", ...web.start, "--scope", "any", "--allow-private", "127.0.0.0/8", "--delay", "0"],
    ...["--threads", "3", "--out", out, ...SHARED, "--visited", "striped"],
  ]);
  assert.deepEqual([code, stderr], [0, ""]);
  const list = readFileSync(join(out, "reports/visited.jsonl"), "utf8").trimEnd().split("\n");
  const visited: VisitedPage[] = list.map((line) => JSON.parse(line));
  const byUrl = new Map(visited.map((page) => [page.url, page]));
  assert.equal(byUrl.size, pages);
  const [seed, ...others] = visited;
  assert.deepEqual([seed!.url, seed!.parent, seed!.level], [web.start[0], "", 0]);
  for (const { url, parent, level } of others) {
    assert.ok(byUrl.get(parent)?.links.includes(url), `${parent} does not lead to ${url}`);
    assert.equal(level, byUrl.get(parent)!.level + 1);
  }
  assert.equal(
    visited.reduce((sum, { links }) => sum + links.length, 0),
    pages - 1,
  );
});

test("the gate table alone keeps a shared crawl polite, whoever takes a URL", async (t) => {
  const profile = { ...PROFILES.tiny, errorRate: 0.1 };
  const web = await startWebProcess({ profile, delayMs: 60 });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const { code } = await orbweaver([
    ...["crawl", ...web.start, "--scope", "any", "--allow-private", "127.0.0.0/8"],
    ...["--delay", "60", "--threads", "3", "--out", out, ...SHARED, "--sync", "monitor"],
  ]);
  assert.equal(code, 0);
  const report = await web.report();
  assert.deepEqual([report.tooFast, report.pages], [[], (await web.truth()).reachable]);
});

test("an unsynchronised frontier ends, and says what it lost", async (t) => {
  const web = await startWebProcess({ profile: { ...PROFILES.small, pages: 500 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const { code, stdout } = await orbweaver([
    ...["crawl", ...web.start, "--delay", "0", "--threads", "4", "--out", out, ...SHARED],
    ...["--sync", "unsynchronised", "--frontier-size", "30"],
  ]);
  assert.equal(code, 0);
  const summary = JSON.parse(stdout);
  const { urlsLost, urlsTakenTwice } = readReport(out);
  // Losses are a matter of luck; the account of them is not.
  const seen = new Set(readLog(out).map(({ url }) => url)).size;
  assert.equal(summary.urlsKnown - seen, urlsLost);
  assert.equal(readLog(out).length - seen, urlsTakenTwice);
});

test("what a shared frontier cannot do is refused in one sentence", async (t) => {
  const cases: [string[], RegExp][] = [
    [["--sync", "monitor", "--frontier-size", "grow"], /needs a list: use --sync coarse/],
    [["--frontier-size", "0"], /--frontier-size.*a whole number from 1 to 1000000, or grow/],
    [["--threads", "5000"], /--threads 5000.*a whole number from 1 to 128/],
    [["--sync", "mutex"], /--sync.*one of lock-free, semaphore/],
    [["--per-host", "2"], /needs --frontier sharded/],
  ];
  for (const [args, message] of cases) {
    const out = join(tempFolder(t), "out");
    const { code, stderr } = await orbweaver([
      "crawl",
      "http://127.0.0.1:1/",
      "--out",
      out,
      ...SHARED,
      ...args,
    ]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});
