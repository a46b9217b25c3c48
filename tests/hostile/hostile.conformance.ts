import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PlayedCase } from "../../src/web/hostile/hostile-web.ts";
import { HONEST_PAGES } from "../../src/web/hostile/index-page.ts";
import { readRecords } from "../support/archive.ts";
import { root } from "../support/conformance.ts";
import { readLog } from "../support/orbweaver.ts";
import { archiveProblems, secretsIn } from "./archive-check.ts";
import { everywhere, hostileSuite, testDuration } from "./hostile-process.ts";
import { Judge } from "./judge.ts";

// The acceptance suite of the hostile web: every row, against the real program, with the deadlines of a polite crawl.
// One crawl visits all cases at once; what cannot be judged there has a crawl of its own in apart.conformance.ts.

const MAX_RSS_MIB = 300;
/** Together with what has a crawl of its own: 300 s. */
const MAX_SECONDS = 180;
const SECRET = "hunter2";
const FAMILIES = ["N", "R", "B", "P", "S", "A"];

const suite = await hostileSuite("hostile");
const { web, folder, crawlOf } = suite;

const seeds = [...FAMILIES.map((family) => `${web.start}rows/${family}`), `${web.start}honest/0`];
const crawl = await crawlOf(seeds, everywhere(web));
const report = await web.report();
const judge = new Judge(crawl, report, web.port);
const together = web.cases.filter(({ apart }) => apart !== true);

for (const row of new Set(together.map((hostile) => hostile.row))) {
  const cases = together.filter((hostile) => hostile.row === row);
  const judged = (wanted: readonly PlayedCase[]) =>
    wanted.flatMap((hostile) => judge.problems(hostile).map((text) => `${hostile.name}: ${text}`));
  test(`${row}: ${cases.length} cases`, () => assert.deepEqual(judged(cases), []));
}

test("the crawl ends by itself, without a word of complaint", () => {
  assert.deepEqual([crawl.code, crawl.stderr], [0, ""]);
});

test(`the process never holds more than ${MAX_RSS_MIB} MiB`, (t) => {
  t.diagnostic(`peak ${crawl.peakRssMiB.toFixed(0)} MiB`);
  assert.ok(crawl.peakRssMiB <= MAX_RSS_MIB, `${crawl.peakRssMiB} MiB`);
});

test("nobody connects to a place that is blocked", () => {
  const strange = crawl.connects.filter((place) => !place.startsWith("127.66."));
  assert.deepEqual(strange, []);
  assert.ok(crawl.connects.length > together.length, "the recorder sees connections");
  const target = new Set(crawl.connects.filter((place) => place.startsWith("127.66.0.2 ")));
  assert.deepEqual([...target], [`127.66.0.2 ${web.port}`], "no blocked port either");
  assert.deepEqual([report["127.0.0.1"], report["::1"]], [undefined, undefined]);
});

test("a TLS failure is never tried again without TLS", () => {
  for (const { address, tls, name, row } of together) {
    if (tls !== true || name === "to-http") continue;
    const plain = (report[address] ?? []).flatMap(({ requests }) => requests);
    const good = name === "good" || name === "long-chain";
    assert.equal(plain.length > 0, good, `${row} ${name}`);
  }
});

test("no credentials arrive anywhere", () => {
  const seen = Object.entries(report).flatMap(([host, connections]) =>
    connections.flatMap(({ requests }) =>
      requests.flatMap(({ path, secrets }) => secrets.map((line) => `${host}${path} ${line}`)),
    ),
  );
  assert.deepEqual(seen, []);
});

test("no password is written down anywhere", () => {
  assert.deepEqual(secretsIn(crawl.out, SECRET), []);
});

test("our reader and warcio read every record of the archive", async () => {
  assert.deepEqual(await archiveProblems(crawl.out), []);
});

test("what is not whole says so in the archive, too", () => {
  const records = readRecords(join(crawl.out, "archive"));
  const kept = new Map(
    records
      .filter(({ type }) => type === "response" || type === "revisit")
      .map(({ uri, headers }) => [uri, headers.get("warc-truncated")]),
  );
  const cut = crawl.log.filter(({ truncated }) => truncated !== undefined);
  assert.ok(cut.length > 20, `${cut.length}`);
  for (const { url, truncated } of cut) assert.equal(kept.get(url), truncated, url);
  const whole = crawl.log.filter(({ outcome, truncated }) => outcome === "page" && !truncated);
  assert.ok(whole.length > 100);
  for (const { url } of whole) {
    assert.ok(kept.has(url), `${url} has a record of its own`);
    assert.equal(kept.get(url), undefined, url);
  }
});

test("S1, S5: no file has a name that a server chose", () => {
  const files = readdirSync(crawl.out, { recursive: true, encoding: "utf8" });
  const strange = files.filter((file) =>
    /passwd|bashrc|htaccess|authorized|\.\.|[^\w./-]/.test(file),
  );
  assert.deepEqual(strange, []);
});

test("every URL has exactly one line in the log", () => {
  const urls = crawl.log.map(({ url }) => url);
  assert.deepEqual(
    urls.filter((url, i) => urls.indexOf(url) !== i),
    [],
  );
});

test("honest pages do not wait for the others", (t) => {
  const honest = crawl.log.filter(({ url }) => url.includes("/honest/"));
  assert.equal(honest.filter(({ outcome }) => outcome === "page").length, HONEST_PAGES);
  const times = honest.map(({ time }) => Date.parse(String(time))).sort((a, b) => a - b);
  const seconds = (times.at(-1)! - times[0]!) / 1000;
  t.diagnostic(`${HONEST_PAGES} pages at one per 50 ms in ${seconds} s`);
  assert.ok(seconds < 35 + crawl.slackS, `${seconds} s`);
});

test("B1: the rest of a huge robots.txt is not read", () => {
  const { address } = web.cases.find(({ row, name }) => row === "B1" && name === "large")!;
  const sent = report[address]!.map(({ sentBytes }) => sentBytes);
  assert.ok(Math.max(...sent) < 20_000_000, `${sent}`);
});

test("N10: what looks local and is not stays out of a crawl of one host", async () => {
  const { url } = web.cases.find(({ row }) => row === "N10")!;
  const before = (await web.report())["127.66.0.3"]?.length ?? 0;
  const { skipped, log } = await crawlOf([url], ["--delay", "0"]);
  assert.deepEqual([(await web.report())["127.66.0.3"]?.length ?? 0, log.length], [before, 1]);
  assert.ok(skipped.length >= 8 && skipped.every(({ reason }) => reason === "out_of_scope"));
});

test("N1: a seed file consents to nothing, a typed seed to its own host and port only", async () => {
  const file = join(folder, "seeds.txt");
  const canary = `127.0.0.1:${web.port}`;
  const private_ = [`http://${canary}/seed`, "http://10.0.0.1/", `http://localhost:${web.port}/`];
  writeFileSync(file, private_.join("\n"));
  const fromFile = await crawlOf([], ["--seeds", file, "--contact", "test@example.org"]);
  const codes = fromFile.log.map(({ url, error }) => [url, error]);
  assert.deepEqual(
    codes.sort(),
    private_.map((url) => [new URL(url).href, "blocked_private_address"]).sort(),
  );
  assert.deepEqual(fromFile.connects, []);
  const typed = await crawlOf(
    [`http://127.66.0.1:${web.port}/rows/N9`],
    ["--scope", "any", "--max-depth", "1", "--delay", "0"],
  );
  const outside = typed.log.filter(({ url }) => !url.startsWith(web.start));
  assert.ok(outside.length > 0);
  assert.ok(outside.every(({ error }) => error === "blocked_private_address"));
});

test("N1: seeds of the library consent to nothing", () => {
  const file = join(folder, "library.mjs");
  const script = `import { crawl } from ${JSON.stringify(join(root, "build/src/index.js"))};
    await crawl({ seeds: ["http://127.0.0.1:${web.port}/library"], out: ${JSON.stringify(join(folder, "library"))}, delayMs: 0 });`;
  writeFileSync(file, script);
  const run = spawnSync(process.execPath, [file], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  assert.deepEqual(
    readLog(join(folder, "library")).map(({ error }) => error),
    ["blocked_private_address"],
  );
});

testDuration(suite, MAX_SECONDS);
