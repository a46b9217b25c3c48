import { parentPort, workerData } from "node:worker_threads";
import { crawlerParts } from "../../crawl/crawler/crawler-parts.ts";
import type { CrawlerRules } from "../../crawl/crawler/crawler-rules.ts";
import { readPage, readRulesOf } from "../../crawl/visit/read-page.ts";
import { Host, Site } from "../../frontier/host.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";

/** The links of one thread for one round, all asked for at once. */
export interface RoundShare {
  readonly id: number;
  readonly urls: readonly CrawlUrl[];
  /** What is not there by then counts as failed. */
  readonly maxWaitMs: number;
}

/** What became of one link. */
export interface RoundPage {
  readonly url: CrawlUrl;
  /** HTML that was fetched and whose links were taken. */
  readonly isPage: boolean;
  readonly links: readonly CrawlUrl[];
}

/** What became of a share, and where its time went. */
export interface RoundAnswer {
  /** Of the share. */
  readonly id: number;
  readonly pages: readonly RoundPage[];
  readonly waitMs: number;
  readonly extractMs: number;
}

const rules = workerData as CrawlerRules;
const { fetcher, client, scope } = crawlerParts(rules, 0, () => {});
const readRules = readRulesOf(rules.config);
const hosts = new Map<string, Host>();

parentPort!.on("message", (share: RoundShare | "end") => {
  if (share === "end") {
    void client.close().then(() => parentPort!.close());
    return;
  }
  void fetchAll(share).then((answer) => parentPort!.postMessage(answer));
});
parentPort!.postMessage("ready");

async function fetchAll({ id, urls, maxWaitMs }: RoundShare): Promise<RoundAnswer> {
  const startMs = performance.now();
  let extractMs = 0;
  const endMs = monotonicMs() + maxWaitMs;
  const fetched = await Promise.all(
    urls.map(async (url) => {
      const page = await fetchOne(url, endMs);
      extractMs += page.extractMs;
      return page;
    }),
  );
  const pages = fetched.map(({ url, isPage, links }) => ({ url, isPage, links }));
  return { id, pages, extractMs, waitMs: performance.now() - startMs - extractMs };
}

async function fetchOne(url: CrawlUrl, endMs: number): Promise<RoundPage & { extractMs: number }> {
  const failed = { url, isPage: false, links: [], extractMs: 0 };
  try {
    for (;;) {
      const outcome = await before(endMs, fetcher.fetch(leaseOf(url)));
      if (outcome === undefined) return failed;
      if (outcome.kind === "postponed") {
        if (outcome.untilMs >= endMs) return failed;
        await new Promise((resolve) => setTimeout(resolve, outcome.untilMs - monotonicMs()));
        continue;
      }
      if (outcome.kind !== "response") return failed;
      const { response } = outcome;
      const startMs = performance.now();
      const page = await readPage(url, "link", response, readRules);
      const location = response.head.status >= 300 && response.head.get("location");
      const target = location ? canonicalize(location, url) : undefined;
      const found = [...(page.parsed?.links ?? []), ...(target === undefined ? [] : [target])];
      const links = found.filter((link) => scope.refusal(link, url) === undefined);
      response.release();
      const isPage = page.isPage && page.parsed !== undefined;
      return { url, isPage, links, extractMs: performance.now() - startMs };
    }
  } catch {
    return failed;
  }
}

/** What the work came to, or undefined when the time was over first. */
async function before<T>(endMs: number, work: T | Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, endMs - monotonicMs()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function leaseOf(url: CrawlUrl) {
  const name = hostnameOf(url);
  let host = hosts.get(name);
  if (host === undefined) {
    fingerprint(name, rules.seedLow, rules.seedHigh);
    host = new Host(name, lastFingerprint.low, rules.config.delayMs);
    host.site = new Site(name);
    hosts.set(name, host);
  }
  const found = { parent: undefined, depth: 0, via: "link", seed: false, chain: [] } as const;
  return { url, ...found, host, shard: 0, low: 0, high: 0, attempt: 0 };
}
