import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { readTree } from "../../src/store/tree/tree-files.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readRecords } from "../support/archive.ts";
import { foreignIndex } from "../support/foreign-index.ts";
import { orbweaver, readLog, readPages, tempFolder } from "../support/orbweaver.ts";
import { checkLists } from "../support/result-lists.ts";

const FAST = ["--delay", "0", "--json", "--quiet"];
const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);

test("lists, index, tree and graph of a crawl agree, for foreign readers too; every export works", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 60, errorRate: 0.05 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const store = ["--store", "warc,tree", "--rotate-pages", "15", "--stats-every", "1s"];
  const crawl = await orbweaver(["crawl", ...web.start, "--out", out, ...FAST, ...store]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const { crawled, uncrawled } = checkLists(out);
  assert.equal(crawled + uncrawled + 1, JSON.parse(crawl.stdout).urlsKnown);
  assert.equal([...readTree(join(out, "tree"))].length, readPages(out).length);
  assert.ok(readdirSync(join(out, "archive")).length >= 4);
  const hourly = lines(join(out, "reports", "hourly_statistics.jsonl")).map((l) => JSON.parse(l));
  assert.equal(
    hourly.reduce((sum, { stored }) => sum + stored, 0),
    readPages(out).length,
  );
  // Their keys keep a slash at the end that archives leave out: everything behind the key must agree.
  const behindKey = (line: string) => line.slice(line.indexOf(" "));
  const ours = lines(crawlPaths(out).index).map(behindKey);
  assert.deepEqual((await foreignIndex(out)).map(behindKey).sort(), ours.sort());
  const page = readPages(out).find(({ parent }) => parent !== null)!;
  const links = await orbweaver(["links", out, String(page.url)]);
  assert.ok(links.stdout.split("\n").includes(String(page.parent)), links.stderr);
  for (const to of ["wacz", "tree", "csv", "parquet", "graph"]) {
    const { code, stderr } = await orbweaver(["export", out, "--to", to]);
    assert.equal(code, 0, stderr);
  }
  const exported = ["graph", "out.wacz", "pages.csv", "pages.parquet", "tree"];
  assert.deepEqual(readdirSync(join(out, "exports")).sort(), exported);
  const { code, stderr } = await orbweaver(["export", out, "--to", "csv", "--out", out]);
  assert.deepEqual([code, /is there already/.test(stderr)], [2, true]);
});

for (const store of ["warc", "none"]) {
  test(`killed, recovered, resumed with --store ${store}: the lists add up every time and every record is whole`, async (t) => {
    const profile = { ...PROFILES.small, pages: 300, errorRate: 0.05 };
    const web = await startWeb({ profile, latencyMs: 20 });
    t.after(() => web.close());
    const out = join(tempFolder(t), "out");
    const args = [
      "crawl",
      ...web.start,
      "--out",
      out,
      "--links-per-thread",
      "8",
      "--sync-every",
      "20ms",
      "--store",
      store,
      ...FAST,
    ];
    const log = crawlPaths(out).log;
    await orbweaver(args, async (kill) => {
      // The log is written before the commit: of 100 lines the first were committed long ago, the last may not be.
      while (!existsSync(log) || lines(log).length < 100) await sleep(5);
      kill("SIGKILL");
    });
    const recovered = await orbweaver(["recover", out, "--json"]);
    assert.equal(recovered.code, 0, recovered.stdout + recovered.stderr);
    const { closed, captures } = JSON.parse(recovered.stdout);
    assert.ok(closed.length === (store === "warc" ? 1 : 0) && captures > 0);
    const before = checkLists(out);
    assert.ok(before.uncrawled > 0);
    assert.ok(readRecords(join(out, "archive")).every(({ problems }) => problems.length === 0));
    const resumed = await orbweaver(["resume", out, "--json", "--quiet"]);
    assert.equal(resumed.code, 0, resumed.stderr);
    const after = checkLists(out);
    assert.equal(after.crawled + after.uncrawled + 1, JSON.parse(resumed.stdout).urlsKnown);
    assert.equal(new Set(readPages(out).map(({ url }) => url)).size, readPages(out).length);
    assert.equal(readPages(out).length, JSON.parse(resumed.stdout).pages);
    const logged = readLog(out).map(({ url }) => url);
    assert.equal(new Set(logged).size, logged.length, "one line for each URL in the log");
  });
}
