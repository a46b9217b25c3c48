import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { test } from "node:test";
import type { PlayedCase } from "../../src/web/hostile/hostile-web.ts";
import type { SeenRequest } from "../../src/web/hostile/witness.ts";
import { proxyServer } from "../crawl/proxy-server.ts";
import { readRecords } from "../support/archive.ts";
import { MAIN, readReport } from "../support/orbweaver.ts";
import { archiveProblems } from "./archive-check.ts";
import { everywhere, hostileSuite, testDuration } from "./hostile-process.ts";
import { Judge } from "./judge.ts";

// The rows of the hostile web that need a crawl of their own: other options, no end, or very many links.

const MAX_RSS_MIB = 300;
const MAX_GROWTH_MIB = 64;
/** Together with hostile.conformance.ts: 300 s. */
const MAX_SECONDS = 120;
const MAX_TRAP_PAGES = 5000;
const MAX_LISTED = 50_000;

const suite = await hostileSuite("apart");
const { web, folder, crawlOf } = suite;
type Case = PlayedCase & { readonly tls?: boolean };
const cases = (wanted: (hostile: Case) => boolean) => web.cases.filter(wanted);
const named = (title: string) => web.cases.find(({ row, name }) => `${row} ${name}` === title)!;

/** All requests to a host so far. */
async function askedOf(address: string): Promise<SeenRequest[]> {
  return ((await web.report())[address] ?? []).flatMap(({ requests }) => requests);
}

test("R11, A1: cookies come back to who set them, within limits, and to nobody else", async () => {
  const wanted = cases(({ row, needs, tls }) => needs === "cookies" || (row === "A1" && !tls));
  const secure = cases(({ row, tls }) => row === "A1" && tls === true);
  const all = [...wanted, ...secure];
  const crawl = await crawlOf(
    all.map(({ url }) => url),
    [...everywhere(web), "--cookies"],
  );
  const report = await web.report();
  const judge = new Judge(crawl, report, web.port);
  assert.deepEqual(
    all.flatMap((hostile) => judge.problems(hostile)),
    [],
  );
  const cookies = new Map<string, string[]>();
  for (const { address, row, name } of all) {
    for (const { path, secrets } of await askedOf(address)) {
      if (secrets.length > 0) cookies.set(`${row} ${name} ${path}`, secrets.flatMap(cookieNames));
    }
  }
  assert.equal(cookies.get("R11 sixty /second")?.length, 50, "50 per host");
  cookies.delete("R11 sixty /second");
  assert.deepEqual(Object.fromEntries(cookies), {
    "R11 fat /second": ["small"],
    "R11 named /second": ["site"],
    "A1 same-host /here": ["session"],
  });
  for (const host of ["127.66.0.1", "127.66.0.2", "127.66.0.3"]) {
    const secrets = (await askedOf(host)).flatMap((request) => request.secrets);
    assert.deepEqual(secrets, [], host);
  }
});

function cookieNames(line: string): string[] {
  assert.match(line, /^cookie: /);
  return line
    .slice("cookie: ".length)
    .split("; ")
    .map((pair) => pair.split("=")[0]!);
}

test("A2: the password of a proxy goes to that proxy, by scheme, and to nobody else", async (t) => {
  const before = (await askedOf("127.0.0.1")).length;
  const plain = await proxyServer(t, web.port);
  const secure = await proxyServer(t, web.port);
  const challenge = named("A2 challenge");
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  const through = await crawlOf(
    ["http://far.example/", "https://far.example/"],
    [
      ...["--delay", "0", "--retries", "0", "--contact", "test@example.org"],
      ...["--proxy", `http=http://one:first@127.0.0.1:${plain.port}`],
      ...["--proxy", `https=http://two:second@127.0.0.1:${secure.port}`],
    ],
  );
  assert.equal(through.log.find(({ url }) => url === "http://far.example/")?.outcome, "page");
  assert.ok(plain.asked.length >= 2 && secure.asked.length >= 1);
  for (const line of plain.asked) assert.ok(line.endsWith(basic("one:first")), line);
  for (const line of secure.asked) assert.ok(line.endsWith(basic("two:second")), line);
  const behind = (await askedOf("127.0.0.1")).slice(before);
  assert.ok(behind.length >= 2, "the proxy passes requests on");
  assert.deepEqual(
    behind.flatMap(({ secrets }) => secrets),
    [],
  );
  // A server that is asked directly and claims to be a proxy gets nothing.
  const direct = await crawlOf(
    [challenge.url],
    ["--delay", "0", "--proxy", `https=http://two:second@127.0.0.1:${secure.port}`],
  );
  assert.equal(direct.log[0]?.error, "http_407");
  const seen = await askedOf(challenge.address);
  assert.ok(seen.length > 0 && seen.every(({ secrets }) => secrets.length === 0));
});

test("R15: a response to nobody's request is not taken for the next URL's", async () => {
  for (const hostile of cases(({ row, apart }) => row === "R15" && apart === true)) {
    const alone = await crawlOf([hostile.url], ["--delay", "1000"]);
    assert.deepEqual(new Judge(alone, await web.report(), web.port).problems(hostile), []);
  }
});

test("B8: of 60,000 entries 50,000 are offered, whether pages or sitemaps", async () => {
  for (const hostile of cases(({ row, apart }) => row === "B8" && apart === true)) {
    const crawl = await crawlOf(
      [hostile.url],
      ["--delay", "0", "--scope", "any", "--allow-private", web.allow],
    );
    const found = crawl.log.filter(({ error }) => error === "blocked_port");
    assert.equal(found.length, MAX_LISTED, hostile.name);
    assert.deepEqual(new Judge(crawl, await web.report(), web.port).problems(hostile), []);
    assert.ok(crawl.peakRssMiB <= MAX_RSS_MIB, `${hostile.name}: ${crawl.peakRssMiB} MiB`);
  }
});

test("P3: 10,000 links of a page are kept, the others counted", async () => {
  for (const hostile of cases(({ row }) => row === "P3")) {
    const { url, name } = hostile;
    const crawl = await crawlOf([url], ["--max-depth", "0", "--delay", "0"]);
    const { out, pages, log, peakRssMiB } = crawl;
    assert.equal(pages[0]!.links, 10_000, name);
    const dropped = log[0]!.links_dropped as number;
    assert.ok(dropped > 400_000, `${name}: ${dropped}`);
    assert.equal(readReport(out).linksDropped, dropped);
    assert.deepEqual(new Judge(crawl, await web.report(), web.port).problems(hostile), []);
    assert.ok(peakRssMiB <= MAX_RSS_MIB, `${name}: ${peakRssMiB} MiB`);
  }
});

test(`one bad page or sitemap costs at most ${MAX_GROWTH_MIB} MiB`, async (t) => {
  const alone = async (url: string, depth: string) => {
    const args = ["--max-depth", depth, "--delay", "0", "--threads", "1"];
    return (await crawlOf([url], args)).peakRssMiB;
  };
  const usual = await alone(`${web.start}rows/S5`, "0");
  const pages = ["R1 gzip", "R1 endless", "R2 brotli", "R16 video", "P2 attribute", "P1 lists"];
  const lists = ["B8 gzip", "B8 brotli", "B8 whole"];
  for (const wanted of [...pages, ...lists]) {
    const growth = (await alone(named(wanted).url, "0")) - usual;
    t.diagnostic(`${wanted}: ${growth.toFixed(0)} MiB above ${usual.toFixed(0)} MiB`);
    assert.ok(growth <= MAX_GROWTH_MIB, `${wanted}: ${growth} MiB`);
  }
});

test("S1 to S6: pages as files stay in their folder, each in its own; formulas are text", async () => {
  const wanted = cases(({ row }) => row.startsWith("S"));
  const seeds = wanted.map(({ url }) => url);
  const crawl = await crawlOf(seeds, ["--delay", "0", "--store", "warc,tree"]);
  assert.deepEqual(await archiveProblems(crawl.out), []);
  const tree = join(crawl.out, "tree");
  const files = readdirSync(tree, { recursive: true, encoding: "utf8" });
  for (const file of files) {
    assert.ok(!lstatSync(join(tree, file)).isSymbolicLink(), file);
    const names = file.split(sep);
    assert.ok(names.length <= 34, `${names.length} levels`);
    for (const name of names) assert.match(name, /^(?!\.)[\x21-\x7e]{1,240}(?<!\.)$/);
  }
  const contents = files.filter((file) => /[\\/]content\.[a-z0-9]+$/.test(file));
  const pages = crawl.log.filter(({ outcome }) => outcome === "page");
  assert.equal(contents.length, pages.length, "every page is a file of its own");
  // Two of them must not become one on a file system that ignores case.
  const spelled = new Set(contents.map((file) => file.toLowerCase().normalize("NFC")));
  assert.ok(spelled.size >= contents.length - 2, `${spelled.size} of ${contents.length}`);
  const csv = join(folder, "pages.csv");
  const run = spawnSync(process.execPath, [MAIN, "export", crawl.out, "--to", "csv", "--out", csv]);
  assert.equal(run.status, 0, String(run.stderr));
  const text = readFileSync(csv, "utf8");
  assert.match(text, /"'=HYPERLINK\(/);
  assert.doesNotMatch(text, /(^|,)"?=/m);
});

for (const hostile of cases(({ needs }) => needs === "traps")) {
  test(`${hostile.row}: ${hostile.serves} ends by itself`, async (t) => {
    const crawl = await crawlOf([hostile.url], ["--delay", "0", "--max-time", "60s"]);
    const asked = (await askedOf(hostile.address)).length;
    const reasons = new Set([
      ...crawl.log.map(({ error }) => error),
      ...crawl.skipped.map(({ reason }) => reason),
    ]);
    const why = [...reasons].filter((reason) => reason?.startsWith("trap_"));
    t.diagnostic(`${asked} requests in ${crawl.seconds.toFixed(1)} s, then ${why}`);
    assert.equal(crawl.code, 0, "it was ended by the clock");
    assert.ok(asked > 50 && asked <= MAX_TRAP_PAGES, `${asked} requests`);
    assert.ok(why.length > 0, "the reason stands in log or report");
    if (hostile.row !== "P5") return;
    const records = readRecords(join(crawl.out, "archive"));
    const responses = records.filter(({ type }) => type === "response").length;
    const revisits = records.filter(({ type }) => type === "revisit").length;
    t.diagnostic(`${responses} responses, ${revisits} revisits`);
    assert.ok(revisits > 500 && responses < 20, "the body is archived once per thread or so");
  });
}

testDuration(suite, MAX_SECONDS);
