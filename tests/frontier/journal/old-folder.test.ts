import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { widenedBy } from "../../../src/crawl/visit/learn-fact.ts";
import { readCashBlock } from "../../../src/frontier/cash/cash-block.ts";
import { ShardCash } from "../../../src/frontier/cash/shard-cash.ts";
import type { Fact } from "../../../src/frontier/fact.ts";
import { recoverShard } from "../../../src/frontier/fold/recover-shard.ts";
import { readLinkBlock } from "../../../src/frontier/link/link-block.ts";
import { decodeLink, eachLink } from "../../../src/frontier/link/waiting-run.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../../src/hash/url-fingerprint.ts";
import {
  crawlPaths,
  readCrawlState,
  writeCrawlState,
} from "../../../src/store/folder/crawl-folder.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { root } from "../../support/conformance.ts";
import { orbweaver, readPages, tempFolder } from "../../support/orbweaver.ts";

/*
 * Folders that the program of the version before (journal 2, "OWSNAP03") left when it was killed while it crawled the web
 * below with two threads and four shards, packed as JSON of their files in base64. In one of them that program's
 * compaction then made snapshots of two shards. Each has blocks that their receivers have not got.
 */
const SHARDS = 4;
const HOSTS = ["moved.test", "one.test", "two.test"];
const PAGES = 4;
const nameOf = (n: number) => (n % PAGES === 0 ? "/" : `/${n % PAGES}`);
const EVERYTHING = HOSTS.flatMap((host) =>
  Array.from({ length: PAGES }, (_, n) => `http://${host}${nameOf(n)}`),
).sort();

/** start.test is a seed that leads to moved.test, which belongs to the scope only for that. */
function pageOf(host: string, path: string): { status: number; body: string; location?: string } {
  if (host === "start.test" && path === "/")
    return { status: 301, body: "", location: "http://moved.test/" };
  const n = path === "/" ? 0 : Number(path.slice(1));
  if (!HOSTS.includes(host) || !(n < PAGES)) return { status: 404, body: "" };
  const others = HOSTS.filter((other) => other !== host);
  const links = [
    `http://outside.test/${n}`,
    ...others.map((other) => `http://${other}${nameOf(n + 2)}`),
    nameOf(n + 1),
  ];
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(" ");
  return { status: 200, body: `<title>${host} ${n}</title>${anchors}` };
}

function unpack(t: TestContext, name: string): string {
  const out = join(tempFolder(t), "crawl");
  const packed = join(root, "tests/frontier/journal/old-folder", `${name}.json.gz`);
  const files = JSON.parse(gunzipSync(readFileSync(packed)).toString()) as Record<string, string>;
  // A crawl that archives nothing has an empty folder for it.
  mkdirSync(crawlPaths(out).archive, { recursive: true });
  for (const [path, base64] of Object.entries(files)) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), Buffer.from(base64, "base64"));
  }
  return out;
}

/** What the journals of a folder say: URLs that wait, URLs that are done, and links on their way between shards. */
function contentOf(out: string) {
  const { seedLow, seedHigh, config } = readCrawlState(out)!;
  const seeds = { seedLow, seedHigh };
  const byCash = (config as { order: string }).order === "opic";
  const waiting: string[] = [];
  const done: string[] = [];
  const travelling: string[] = [];
  const facts: Fact[] = [];
  for (let shard = 0; shard < SHARDS; shard++) {
    const cash = byCash ? new ShardCash() : undefined;
    const before = waiting.length;
    const { journals: folder } = crawlPaths(out);
    const options = { folder, shard, begun: true, ...seeds, cash };
    const { state } = recoverShard(options, (run) =>
      eachLink(run, (link) => waiting.push(decodeLink(link).url)),
    );
    facts.push(...state.facts);
    for (const { links, bytes } of state.unconfirmed()) {
      const block = Buffer.from(bytes);
      const found = byCash ? readCashBlock(block).found : readLinkBlock(block, block.length);
      assert.equal(found.length, links);
      travelling.push(...found.map(({ url }) => url));
    }
    const mine = waiting.slice(before);
    for (const url of ["http://start.test/", ...EVERYTHING]) {
      urlFingerprint(url as CrawlUrl, seedLow, seedHigh);
      const { low, high } = lastFingerprint;
      const isKnown = (cash?.pages ?? state.seen).hasFingerprint(low, high);
      if (isKnown && !mine.includes(url)) done.push(url);
    }
  }
  return { waiting, done, travelling, facts };
}

/** Resumes a folder; answers the pages that were asked for. */
async function resume(t: TestContext, out: string): Promise<string[]> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [host] = request.headers.host!.split(":") as [string];
    const { status, body, location } = pageOf(host, request.url!);
    if (request.url !== "/robots.txt") asked.push(`http://${host}${request.url}`);
    response.writeHead(status, { "content-type": "text/html", ...(location && { location }) });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const names = ["start.test", "outside.test", ...HOSTS];
  const ways = names.flatMap((name) => ["--resolve", `${name}:127.0.0.1:${port}`]);
  const { code, stderr } = await orbweaver(["resume", out, ...ways, "--quiet"]);
  assert.equal(code, 0, stderr);
  return asked;
}

for (const name of ["bfs", "bfs-warc", "opic-snapshots"]) {
  test(`a folder of the version before is resumed, and nothing is lost or fetched twice: ${name}`, async (t) => {
    const out = unpack(t, name);
    const { waiting, done, travelling } = contentOf(out);
    assert.ok(waiting.length > 0 && done.length > 0 && travelling.length > 0);
    assert.deepEqual(
      [...waiting, ...travelling].filter((url) => !EVERYTHING.includes(url)),
      [],
    );
    const asked = await resume(t, out);
    const missing = EVERYTHING.filter((url) => !done.includes(url));
    assert.deepEqual(asked.toSorted(), missing);
    const pages = readPages(out).map(({ url }) => url);
    assert.deepEqual(pages.toSorted(), EVERYTHING);
    assert.deepEqual(contentOf(out).waiting, []);
  });
}

test("a scope that a seed widened is known from the journal when the state was not written in time", async (t) => {
  const out = unpack(t, "bfs-warc");
  const state = readCrawlState(out)!;
  assert.deepEqual(state.moreSeeds, ["http://moved.test/"]);
  assert.ok(contentOf(out).waiting.includes("http://moved.test/"));
  writeCrawlState(out, { ...state, moreSeeds: [] });
  await resume(t, out);
  const pages = readPages(out).map(({ url }) => url);
  assert.deepEqual(pages.toSorted(), EVERYTHING);
  assert.deepEqual(readCrawlState(out)!.moreSeeds, []);
  const facts = contentOf(out).facts.map(widenedBy);
  assert.deepEqual(facts, ["http://moved.test/"]);
});
