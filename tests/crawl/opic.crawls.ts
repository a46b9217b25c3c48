import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TopPage } from "../../src/crawl/ending/top-pages.ts";
import { UNIT } from "../../src/frontier/cash/cash-book.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { orbweaver, readLines, readReport, tempFolder } from "../support/orbweaver.ts";

const sortedLines = (text: string) => text.split("\n").sort();

const WEB = { profile: { ...PROFILES.small, pages: 400, hosts: 6 } };

test("ordered by cash, three threads: every page exactly once", async (t) => {
  const web = await startWeb(WEB);
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const { code, stdout, stderr } = await orbweaver([
    ...["crawl", ...web.start, "--order", "opic", "--delay", "0", "--out", out],
    ...["--json", "--quiet", "--threads", "3"],
  ]);
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).pages, web.truth().reachable);
  assert.equal(web.report().repeated, 0);
  const report = readReport(out);
  assert.ok(report.lateOwn! > 0, "links to fetched pages are counted");
  assert.equal(report.lateForeign! > 0, true, "also those of other shards");
  assert.ok(report.exchanges! > 0, "credits travel");
  assert.ok(report.exchangeSize! >= 1);
  assert.ok(report.maxNextUrls! > 0, "the depth of what comes next is told");
  const pages = readLines<{ cash: number; priority: number }>(join(out, "pages/pages.jsonl"));
  for (const { cash, priority } of pages.slice(1)) {
    assert.ok(Number.isSafeInteger(cash) && priority * UNIT === cash);
  }
  assert.deepEqual([pages[1]!.cash, pages[1]!.priority], [UNIT, 1], "a seed begins with a unit");
  const top = JSON.parse(readFileSync(join(out, "reports/top-pages.json"), "utf8"));
  const expected = top.map((page: TopPage) => page.history);
  assert.equal(top.length, Math.min(100, pages.length - 1));
  assert.deepEqual(
    expected,
    expected.toSorted((a: number, b: number) => b - a),
  );
  for (const { history, priority } of top as TopPage[]) assert.ok(history >= priority);
  // The archive knows the cash, too: what is whole is not rebuilt, and what is lost comes back as it was.
  const lists = ["pages/pages.jsonl", "reports/top-pages.json"].map((name) => join(out, name));
  const before = lists.map((file) => readFileSync(file, "utf8"));
  const { stdout: whole } = await orbweaver(["recover", out, "--json"]);
  const { rebuilt } = JSON.parse(whole) as { rebuilt: { file: string }[] };
  assert.ok(!rebuilt.some(({ file }) => file.includes("pages.jsonl")), whole);
  for (const file of lists) rmSync(file);
  assert.equal((await orbweaver(["recover", out])).code, 0);
  const after = lists.map((file) => readFileSync(file, "utf8"));
  assert.deepEqual(sortedLines(after[0]!), sortedLines(before[0]!));
  assert.deepEqual(
    JSON.parse(after[1]!).map((page: TopPage) => page.history),
    expected,
  );
});

test("ordered by cash, stopped and resumed with other numbers of threads: every page exactly once", async (t) => {
  const web = await startWeb(WEB);
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const start = ["crawl", ...web.start, "--order", "opic", "--delay", "0", "--out", out];
  // Few places, so that threads help each other; what they have borrowed must not hold the last permits.
  const first = await orbweaver([
    ...[...start, "--json", "--quiet", "--max-pages", "60", "--exchange-size", "4"],
    ...["--threads", "4", "--links-per-thread", "4"],
  ]);
  assert.equal(first.code, 3, first.stderr);
  assert.ok(readReport(out).exchangeSize! >= 4, "no sooner, and not before the last is durable");
  const check = async (url: string) => {
    const { stdout, stderr } = await orbweaver(["check", "url", url, "--crawl", out, "--json"]);
    assert.equal(stderr, "");
    return JSON.parse(stdout).known;
  };
  const seed = await check(web.start[0]!);
  assert.equal(seed.state, "done");
  assert.ok(seed.cash >= UNIT && seed.priority >= 1);
  assert.deepEqual(await check("http://nowhere.example/"), { state: "unknown" });
  const left = readFileSync(join(out, "reports/uncrawled.txt"), "utf8").split("\n");
  const waiting = await check(left[1]!.split("\t")[0]!);
  assert.equal(waiting.state, "waiting");
  assert.equal(waiting.priority * UNIT, waiting.cash);
  const pages = [JSON.parse(first.stdout).pages];
  for (const [limit, threads, code] of [[1000, 1, 0]]) {
    const options = ["--max-pages", String(limit), "--threads", String(threads)];
    const next = await orbweaver(["resume", out, "--json", "--quiet", ...options]);
    assert.equal(next.code, code, next.stderr);
    pages.push(JSON.parse(next.stdout).pages);
  }
  assert.deepEqual(pages, [60, web.truth().reachable]);
  assert.equal(web.report().repeated, 0);
  const changed = await orbweaver(["resume", out, "--order", "bfs"]);
  assert.equal(changed.code, 2);
  assert.match(changed.stderr, /--order cannot change .* it is opic/);
});

test("a module says what pages are worth: those come first, and the cash is booked", async (t) => {
  const web = await startWeb(WEB);
  t.after(() => web.close());
  const folder = tempFolder(t);
  const out = join(folder, "out");
  const module = join(folder, "sevens.mjs");
  writeFileSync(module, 'export default (url) => (url.includes("7") ? 4 : 0);');
  const crawl = ["crawl", ...web.start, "--delay", "0", "--quiet", "--max-pages", "60"];
  const byCash = [...crawl, "--out", out, "--order", "opic", "--threads", "1"];
  const { code, stderr } = await orbweaver([...byCash, "--priority", module]);
  assert.equal(code, 3, stderr);
  const pages = readLines<{ url: string; cash: number }>(join(out, "pages/pages.jsonl")).slice(1);
  const paid = pages.filter(({ url }) => url.includes("7"));
  assert.ok(paid.every(({ cash }) => cash >= 4 * UNIT));
  assert.ok(paid.length > 40, `only ${paid.length} of 60 pages are of those that were wanted`);
  for (const [args, message] of [
    [[...byCash, "--priority", join(folder, "none.mjs")], /--priority .* cannot be loaded/],
    [[...crawl, "--priority", module], /--priority \S+ has no effect: it needs --order opic/],
    [
      [...crawl, "--exchange-size", "64"],
      /--exchange-size 64 has no effect: it needs --order opic/,
    ],
  ] as const) {
    const refused = await orbweaver(args.map((word) => (word === out ? `${out}2` : word)));
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, message);
  }
});
