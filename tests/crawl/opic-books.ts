import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { knownCash } from "../../src/cli/check/check-cash.ts";
import { readCashBlock } from "../../src/frontier/cash/cash-block.ts";
import { ShardCash } from "../../src/frontier/cash/shard-cash.ts";
import { compactShard } from "../../src/frontier/fold/compact-shard.ts";
import { recoverShard } from "../../src/frontier/fold/recover-shard.ts";
import { listJournals } from "../../src/frontier/journal/journal-listing.ts";
import { Random } from "../../src/lab/queues/pivot-random.ts";
import { crawlPaths, readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { orbweaver, readLog, readPages, readReport, tempFolder } from "../support/orbweaver.ts";
import { html, redirect, type Script, scriptedServer } from "./scripted-server.ts";

/** What a seed begins with; written down once more on purpose. */
export const UNIT = 2 ** 36;

/** A page of a small web: links as they stand there, or where it redirects to. */
export interface SmallPage {
  readonly links?: readonly string[];
  /** Links of the header, which count like those of the page. */
  readonly header?: readonly string[];
  readonly location?: string;
}

/** A web with everything that cash may meet: links that repeat, lead elsewhere, nowhere, to refusals and to redirects. */
export function smallWeb(pages: number, random: Random): Map<string, SmallPage> {
  const any = () => Math.floor(random.below(pages) ** 2 / pages);
  const link = (page: number) => {
    const kind = random.below(100);
    if (kind < 8) return `http://elsewhere.test/p${any()}`;
    if (kind < 14) return `/missing${any() % 5}`;
    if (kind < 20) return `/no/p${any()}`;
    if (kind < 30) return `/r${any()}`;
    if (kind < 34) return `mailto:someone${random.below(2)}@elsewhere.test`;
    if (kind < 37) return `/p${page}`;
    return kind < 41 ? `/p${any()}#part` : `/p${any()}`;
  };
  const target = (page: number) => {
    const kind = random.below(10);
    if (kind === 0) return `/r${(page + 1) % pages}`;
    if (kind === 1) return "http://elsewhere.test/";
    return kind === 2 ? `/no/r${page}` : `/p${any()}`;
  };
  const web = new Map<string, SmallPage>([["/", { links: ["/p0", "/p1", "/p1", "/p2", "/"] }]]);
  for (let page = 0; page < pages; page++) {
    const links = Array.from({ length: random.below(8) }, () => link(page));
    const header = random.below(6) === 0 ? [`/p${any()}`, ...links.slice(0, 1)] : [];
    web.set(`/p${page}`, { links, header: header.filter((one) => one.startsWith("/p")) });
    web.set(`/r${page}`, { location: target(page) });
  }
  return web;
}

/** The same web as a script for a server. */
export function scriptOf(web: ReadonlyMap<string, SmallPage>): Script {
  const script: Script = {
    "/robots.txt": (_, answer) => answer.end("User-agent: *\nDisallow: /no/\n"),
  };
  for (const [path, { links = [], header = [], location }] of web) {
    const more =
      header.length === 0 ? {} : { link: header.map((to) => `<${to}>; rel=next`).join() };
    script[path] =
      location === undefined
        ? html(links.map((to) => `<a href="${to}">x</a>`).join(" "), more)
        : redirect(location);
  }
  return script;
}

/**
 * OPIC as issue 5 tells it, in the plainest words: a map of cash, and a virtual page that owns the rest. It is led by
 * the order in which a crawl has visited its pages, and says what each must have had.
 */
export class ReferenceOpic {
  readonly cash = new Map<string, number>();
  readonly history = new Map<string, number>();
  readonly done = new Set<string>();
  virtual = 0;
  minted = 0;
  late = 0;

  seed(url: string): void {
    this.minted += UNIT;
    this.cash.set(url, UNIT);
    this.history.set(url, UNIT);
  }

  get waiting(): string[] {
    return [...this.cash.keys()].filter((url) => !this.done.has(url));
  }

  /** A page was visited; its distinct links, and which of them were taken on. Answers what it had. */
  visit(url: string, links: readonly string[], isTaken: (link: string) => boolean): number {
    const had = this.cash.get(url)!;
    const part = Math.floor(this.virtual / this.waiting.length);
    const distinct = new Set(links);
    const share = distinct.size === 0 ? 0 : Math.floor((had + part) / distinct.size);
    this.done.add(url);
    this.virtual += had;
    for (const link of distinct) {
      if (!isTaken(link)) continue;
      this.history.set(link, (this.history.get(link) ?? 0) + share);
      if (this.done.has(link)) this.late++;
      else {
        this.virtual -= share;
        this.cash.set(link, (this.cash.get(link) ?? 0) + share);
      }
    }
    return had;
  }

  /** All cash that is somewhere. */
  get total(): number {
    return this.waiting.reduce((sum, url) => sum + this.cash.get(url)!, this.virtual);
  }
}

/** What the journals of a crawl folder say of cash; `found` is all that is somewhere. */
export function auditFolder(out: string): { minted: number; found: number; inBlocks: number } {
  const { seedLow, seedHigh, config } = readCrawlState(out)!;
  const { shards } = config as { shards: number };
  const states = Array.from({ length: shards }, (_, shard) => {
    const cash = new ShardCash();
    const folder = crawlPaths(out).journals;
    const { state } = recoverShard({ folder, shard, seedLow, seedHigh, cash }, () => {});
    return { state, book: cash.book };
  });
  let minted = 0;
  let found = 0;
  let inBlocks = 0;
  for (const [shard, { state, book }] of states.entries()) {
    minted += book.minted;
    found += book.held + book.virtual;
    for (const { target, epoch, number, bytes } of [...state.outbox.values()].flat()) {
      const reached = states[target]!.state.received.get(`${shard} ${epoch}`) ?? 0;
      if (number > reached) inBlocks += readCashBlock(Buffer.from(bytes)).total;
    }
  }
  return { minted, found: found + inBlocks, inBlocks };
}

/** Folds the journals into snapshots, which keep what done pages ever got. */
function checkAfterSnapshot(out: string, seed: string): void {
  const { seedLow, seedHigh, config } = readCrawlState(out)!;
  const { shards } = config as { shards: number };
  const folder = crawlPaths(out).journals;
  const known = () => knownCash(out, seed as CrawlUrl) as { state: string; cash: number };
  const before = known();
  for (let shard = 0; shard < shards; shard++) {
    const upTo = listJournals(folder)(shard).segments.at(-1)!;
    compactShard({ folder, shard, seedLow, seedHigh, upTo });
  }
  const after = known();
  assert.deepEqual(after, before);
  assert.ok(after.state === "done" && after.cash >= UNIT, "at least what it was fetched with");
}

/** One visit after the other, so that the order of the log is the order in which cash was dealt. */
const ONE_BY_ONE = ["--threads", "1", "--links-per-thread", "1", "--per-host", "1", "--delay", "0"];
/** Ordered by cash, with nothing to say. */
export const QUIET = ["--order", "opic", "--quiet", "--retries", "0"];

/** Crawls a random web until so many pages, and compares every amount with the reference. */
export async function compareWithReference(
  t: TestContext,
  seed: number,
  pages: number,
  maxPages: number,
) {
  const web = smallWeb(pages, new Random(seed));
  const { origin } = await scriptedServer(t, scriptOf(web));
  const out = join(tempFolder(t), "out");
  const limit = ["--max-pages", String(maxPages)];
  const crawl = ["crawl", `${origin}/`, "--out", out, ...ONE_BY_ONE, ...QUIET, ...limit];
  const { code, stderr } = await orbweaver(crawl);
  assert.ok(code === 0 || code === 3, stderr);

  const opic = new ReferenceOpic();
  opic.seed(`${origin}/`);
  const fetchedWith = new Map(
    (readPages(out) as unknown as { url: string; cash: number }[]).map((line) => [
      line.url,
      line.cash,
    ]),
  );
  const whole = (link: string) => new URL(link, origin).href.replace(/#.*/, "");
  const isTaken = (link: string) => link.startsWith(`${origin}/`);
  for (const { url, outcome } of readLog(out)) {
    const { links = [], header = [], location } = web.get(url.slice(origin.length)) ?? {};
    const best = Math.max(...opic.waiting.map((waiting) => opic.cash.get(waiting)!));
    const all =
      outcome === "page" ? [...links, ...header] : outcome === "redirect" ? [location!] : [];
    const had = opic.visit(url, all.map(whole), isTaken);
    if (outcome === "page") assert.equal(fetchedWith.get(url), had, `seed ${seed}: cash of ${url}`);
    assert.ok(had >= 0.875 * best - 1, `seed ${seed}: ${url} came before a better page`);
  }
  assert.equal(opic.total, opic.minted);
  for (const [i, [url, history]] of [...opic.history].entries()) {
    if (i % 8 !== 0) continue; // each is a fold of the whole journal
    const state = opic.done.has(url) ? "done" : "waiting";
    const expected = { state, cash: history, priority: history / UNIT };
    assert.deepEqual(knownCash(out, url as CrawlUrl), expected, `seed ${seed}: ${url}`);
  }
  checkAfterSnapshot(out, `${origin}/`);
  const { lateOwn, lateForeign } = readReport(out);
  assert.deepEqual([lateOwn, lateForeign], [opic.late, 0], `seed ${seed}: late arrivals`);
  assert.deepEqual(auditFolder(out), { minted: UNIT, found: UNIT, inBlocks: 0 });
  return opic;
}
