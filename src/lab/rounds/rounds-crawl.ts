import type { CrawlConfig } from "../../config/schema.ts";
import { CapacityError } from "../../errors.ts";
import type { Page } from "../../frontier/shared/sets/page-nodes.ts";
import { StripedSet } from "../../frontier/shared/sets/striped-set.ts";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { fetchRules } from "../lab-rules.ts";
import type { RoundAnswer, RoundShare } from "./round-worker.ts";

/** How a crawl in rounds goes: seed 003's parameters. */
export interface RoundsPlan {
  /** L: links that a thread gets per round, at most. */
  readonly maxLinks: number;
  readonly leftovers: "keep" | "drop";
  /** How long a round waits for its slowest link. */
  readonly maxWaitMs: number;
  readonly maxPages?: number | undefined;
  readonly maxDepth?: number | undefined;
  /** Called at the end with the pages that were crawled. */
  readonly onVisited?: ((pages: readonly Page[]) => void) | undefined;
  /** Looked at between two rounds. */
  readonly maxMs?: number | undefined;
  /** Told how many pages there are. */
  readonly isInterrupted?: (pages: number) => boolean;
}

/** What a crawl in rounds came to. */
export interface RoundsResult {
  readonly ended: "finished" | "pages" | "time" | "interrupted";
  readonly rounds: number;
  /** HTML fetched, links taken, recorded. */
  readonly pages: number;
  readonly failed: number;
  /** Distinct links discovered, fetched or not. */
  readonly discovered: number;
  /** Links that a round had no room for and that were dropped. */
  readonly dropped: number;
  readonly seconds: number;
  /** Milliseconds of all threads together, and of the set in the main thread. */
  readonly waitMs: number;
  readonly extractMs: number;
  readonly setMs: number;
}

const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
const MAX_URLS = 1 << 16;

/** Links per thread in a round: the pool dealt out evenly, at most L each; the document prints max where it means min. */
export function shareOf(pool: number, threads: number, maxLinks: number): number {
  return Math.min(Math.max(1, Math.floor(pool / threads)), maxLinks);
}

/** Those who fetch: threads of this process, or of several. */
export interface Fetchers {
  readonly count: number;
  /** Gives a thread a share of links; resolves when all of them are there, or the time is over. */
  fetch(thread: number, urls: readonly CrawlUrl[], maxWaitMs: number): Promise<RoundAnswer>;
  close(): Promise<void>;
}

/** Threads that fetch in rounds, kept from crawl to crawl. */
export class RoundThreads implements Fetchers {
  readonly #workers: readonly RunningWorker[];
  readonly #waiting = new Map<number, (answer: RoundAnswer) => void>();
  #next = 0;

  private constructor(workers: readonly RunningWorker[]) {
    this.#workers = workers;
    for (const { worker } of workers) {
      worker.on("message", (answer: RoundAnswer) => {
        this.#waiting.get(answer.id)?.(answer);
        this.#waiting.delete(answer.id);
      });
    }
  }

  /** Starts the threads of a configuration and waits until all have loaded. */
  static async start(config: CrawlConfig): Promise<RoundThreads> {
    const rules = await fetchRules(config);
    const module = new URL(`./round-worker${EXTENSION}`, import.meta.url);
    const workers = Array.from({ length: config.threads }, (_, thread) =>
      runWorker(module, `round ${thread}`, { workerData: { ...rules, thread } }),
    );
    await Promise.all(
      workers.map(({ worker, ended }) =>
        Promise.race([new Promise((resolve) => worker.once("message", resolve)), ended]),
      ),
    );
    return new RoundThreads(workers);
  }

  get count(): number {
    return this.#workers.length;
  }

  fetch(thread: number, urls: readonly CrawlUrl[], maxWaitMs: number): Promise<RoundAnswer> {
    const id = this.#next++;
    const { worker, ended } = this.#workers[thread]!;
    const answered = new Promise<RoundAnswer>((resolve) => this.#waiting.set(id, resolve));
    const share: RoundShare = { id, urls, maxWaitMs };
    worker.postMessage(share);
    return Promise.race([answered, ended.then(() => ({ ...NOTHING, id }))]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(({ worker }) => worker.terminate()));
  }
}

const NOTHING: RoundAnswer = { id: 0, pages: [], waitMs: 0, extractMs: 0 };

/** What a crawl knows, and what it has counted so far. */
class Pool {
  readonly sum = { rounds: 0, pages: 0, failed: 0, dropped: 0, waitMs: 0, extractMs: 0, setMs: 0 };
  links: { url: CrawlUrl; parent: string; level: number }[] = [];
  readonly #set = newSet();
  #isFull = false;
  readonly #known = new Set<string>();
  readonly #plan: RoundsPlan;
  readonly #maxDepth: number;
  readonly #startMs = performance.now();

  constructor(seeds: readonly CrawlUrl[], plan: RoundsPlan) {
    this.#plan = plan;
    this.#maxDepth = plan.maxDepth ?? Number.POSITIVE_INFINITY;
    for (const seed of seeds) this.#discover(seed, "", 0);
  }

  #discover(url: CrawlUrl, parent: string, level: number): void {
    if (this.#known.has(url)) return;
    this.#known.add(url);
    if (level <= this.#maxDepth) this.links.push({ url, parent, level });
  }

  /** Adds what a thread found: pages with parent, links and level, as the seed's set holds them. */
  merge({ pages, waitMs, extractMs }: RoundAnswer, of: Pool["links"]): void {
    const startMs = performance.now();
    const { sum } = this;
    sum.waitMs += waitMs;
    sum.extractMs += extractMs;
    for (const [i, { url, isPage, links }] of pages.entries()) {
      const { parent, level } = of[i]!;
      if (isPage) sum.pages++;
      else sum.failed++;
      if (isPage) this.#keep({ url, parent, links, level });
      for (const link of links) this.#discover(link, url, level + 1);
    }
    sum.setMs += performance.now() - startMs;
  }

  /** A set that is full ends no crawl here: its later pages are counted and not kept. */
  #keep(page: Page): void {
    if (this.#isFull) return;
    try {
      this.#set.add(page);
    } catch (fault) {
      if (!(fault instanceof CapacityError)) throw fault;
      this.#isFull = true;
    }
  }

  get elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  result(ended: RoundsResult["ended"]): RoundsResult {
    const seconds = (performance.now() - this.#startMs) / 1000;
    this.#plan.onVisited?.(this.#set.dump().map(({ page }) => page));
    return { ended, ...this.sum, discovered: this.#known.size, seconds };
  }
}

/** Crawls round by round: deal out, fetch, join, merge. */
export async function runRounds(
  threads: Fetchers,
  seeds: readonly CrawlUrl[],
  plan: RoundsPlan,
): Promise<RoundsResult> {
  const { maxPages = Number.POSITIVE_INFINITY } = plan;
  const pool = new Pool(seeds, plan);
  const { sum } = pool;
  while (pool.links.length > 0 && sum.pages < maxPages) {
    if (plan.isInterrupted?.(sum.pages)) return pool.result("interrupted");
    if (pool.elapsedMs >= (plan.maxMs ?? Number.POSITIVE_INFINITY)) return pool.result("time");
    const share = shareOf(pool.links.length, threads.count, plan.maxLinks);
    // The limit is never exceeded: a round asks for no more than what is missing.
    const most = Math.min(share * threads.count, maxPages - sum.pages);
    const taken = pool.links.slice(0, most);
    const left = pool.links.slice(most);
    if (plan.leftovers === "drop") sum.dropped += left.length;
    pool.links = plan.leftovers === "keep" ? left : [];
    const shares = Array.from({ length: Math.ceil(taken.length / share) }, (_, i) =>
      taken.slice(i * share, (i + 1) * share),
    );
    const answers = await Promise.all(
      shares.map((each, i) =>
        threads.fetch(
          i,
          each.map(({ url }) => url),
          plan.maxWaitMs,
        ),
      ),
    );
    for (const [i, answer] of answers.entries()) pool.merge(answer, shares[i]!);
    sum.rounds++;
  }
  return pool.result(sum.pages >= maxPages ? "pages" : "finished");
}

/** The same without rounds: a thread gets its next link as soon as one of its L has come. */
export async function runContinuous(
  threads: Fetchers,
  seeds: readonly CrawlUrl[],
  plan: RoundsPlan,
): Promise<RoundsResult> {
  const { maxPages = Number.POSITIVE_INFINITY } = plan;
  const pool = new Pool(seeds, plan);
  const { sum } = pool;
  let inFlight = 0;
  const under = new Array<number>(threads.count).fill(0);
  await new Promise<void>((resolve) => {
    const go = (): void => {
      for (let thread = 0; thread < threads.count; thread++) {
        while (
          under[thread]! < plan.maxLinks &&
          pool.links.length > 0 &&
          sum.pages + inFlight < maxPages &&
          !plan.isInterrupted?.(sum.pages)
        ) {
          const next = pool.links.shift()!;
          under[thread]!++;
          inFlight++;
          void threads.fetch(thread, [next.url], plan.maxWaitMs).then((answer) => {
            under[thread]!--;
            inFlight--;
            pool.merge(answer, [next]);
            go();
          });
        }
      }
      if (inFlight === 0) resolve();
    };
    go();
  });
  if (plan.isInterrupted?.(sum.pages)) return pool.result("interrupted");
  return pool.result(sum.pages >= maxPages ? "pages" : "finished");
}

function newSet(): StripedSet {
  const shape = { maxUrls: MAX_URLS, mayBlock: true };
  return new StripedSet(new SharedArrayBuffer(StripedSet.bytes(shape)), shape, 1);
}
