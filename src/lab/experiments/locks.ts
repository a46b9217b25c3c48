import { join } from "node:path";
import { checkSettings, configFrom } from "../../config/crawl-config.ts";
import { SHARED_FRONTIER, TECHNIQUES } from "../../config/values/technique-names.ts";
import type { Technique } from "../../frontier/shared/techniques/record-queue.ts";
import { linePlot } from "../../stats/plot/line-plot.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { PROFILES, type WebProfile } from "../../web/profile.ts";
import { startWebProcess } from "../../web/web-process.ts";
import { type BlockingResult, runBlocking } from "../blocking/blocking-crawl.ts";
import type { BlockingPlan } from "../blocking/blocking-plan.ts";
import { Laboratory } from "../blocking/laboratory.ts";
import type { Experiment, Findings, LabRun } from "../experiment.ts";
import { answeredRate, labCrawl, withWeb } from "../lab-web.ts";
import {
  amdahlTable,
  bestOf,
  type Curve,
  costTable,
  type Found,
  nameOf,
  OWN_NAME,
  type Pool,
  pagesOf,
  pagesTable,
  poolTable,
  type Stand,
  standTable,
  type TimesLinks,
  timesLinksTable,
  type Variant,
  variantTable,
} from "../locks/lock-tables.ts";
import { RoundProcesses } from "../rounds/round-processes.ts";
import { type RoundsResult, RoundThreads, runContinuous } from "../rounds/rounds-crawl.ts";
import { rounded } from "../run-spread.ts";

const SIZE = 30;
const DOCUMENT_THREADS = [1, 2, 4, 8, 16, 32, 64, 128];
/** 64 and 128 requests in flight as an ordinary crawl makes them. */
const TIMES_LINKS = [
  { threads: 32, links: 2 },
  { threads: 32, links: 4 },
];
const CRAWLED: readonly Technique[] = ["semaphore", "monitor", "lock-free"];
/** An ordinary crawl ends after so many pages per request in flight: starting its threads takes longer than a run. */
const CRAWL_PAGES = 20;
const MAX_CRAWL_MS = 20_000;
/** A run of the second deadlock goes on until it stands or has so many pages, however busy the machine is. */
const STAND_PAGES = 100;
const LATENCY = { median: 5, spread: 0.3 };

/** Figures 13 to 16 of document 000: every technique, frontier size 30, 1 to 128 threads. */
export const experiment: Experiment = {
  name: "locks",
  document: "000",
  question:
    "How many pages does a crawler fetch in a fixed time, by locking technique and number of threads?",
  seconds: { quick: 42, normal: 300, full: 330 },
  run: (run) =>
    measureLocks(run, {
      threadCounts: run.pick([1, 8, 32, 128], DOCUMENT_THREADS, DOCUMENT_THREADS),
      links: run.pick([2], [1, 2, 10], [1, 2, 10]),
      maxMs: run.pick(250, 1000, 1500),
      repeats: run.repeats(2, 3, 2),
      pages: run.pick(20_000, 40_000, 80_000),
      // Starting threads takes longest here.
      timesLinks: run.pick([{ threads: 16, links: 8 }], TIMES_LINKS, TIMES_LINKS),
      crawled: run.pick(["monitor"], CRAWLED, CRAWLED),
      processes: [2, 4],
    }),
};

/** How much is measured. */
export interface LockSettings {
  readonly threadCounts: readonly number[];
  /** Links per page of the second deadlock. */
  readonly links: readonly number[];
  readonly maxMs: number;
  readonly repeats: number;
  /** Pages of the web. */
  readonly pages: number;
  /** Ordinary crawls with so many threads and links per thread, for each of these techniques. */
  readonly timesLinks: readonly { readonly threads: number; readonly links: number }[];
  readonly crawled: readonly Technique[];
  /** Numbers of processes that share the threads of the pool. */
  readonly processes: readonly number[];
}

/** Runs every technique at every thread count, then what the document leaves for later. */
export async function measureLocks(run: LabRun, settings: LockSettings): Promise<Findings> {
  const { threadCounts, links, maxMs, repeats, pages } = settings;
  const { timesLinks, crawled, processes } = settings;
  const own = run.sync === undefined ? [] : [{ module: run.sync }];
  run.plan(
    TECHNIQUES.length * (threadCounts.length + links.length) +
      own.length * threadCounts.length +
      crawled.length * timesLinks.length +
      processes.length +
      5,
  );
  const profile: WebProfile = {
    ...PROFILES.small,
    seed: run.seed,
    pages,
    crossHostShare: 0,
    minBytes: 1024,
    maxBytes: 4096,
    latencyMs: LATENCY,
  };
  const web = await startWebProcess({ profile });
  const lab = await Laboratory.openFor(web.start, 256);
  const seeds = web.start as CrawlUrl[];
  const once = (plan: Partial<BlockingPlan>, ms = maxMs, minPages = 0) =>
    runBlocking(lab, { ...STANDARD, ...plan }, seeds, { maxMs: ms, minPages });
  const repeated = async (plan: Partial<BlockingPlan>) => {
    const results: BlockingResult[] = [];
    for (let n = 0; n < repeats; n++) results.push(await once(plan));
    return results;
  };
  try {
    // Threads compile what they run: without this the first technique would pay for all.
    for (let n = 0; n < 2; n++) await once({ crawlers: Math.max(...threadCounts) });
    const curves: Curve[] = [];
    for (const sync of [...TECHNIQUES, ...own]) {
      const whenFull = sync === "unsynchronised" ? "overwrite" : "wait";
      const points: Curve["points"][number][] = [];
      for (const threads of threadCounts) {
        const work = () => repeated({ sync, whenFull, crawlers: threads });
        points.push({ threads, runs: await run.step(`${nameOf(sync)}-${threads}`, work) });
      }
      curves.push({ sync, points });
    }
    const stands: Stand[] = [];
    for (const sync of TECHNIQUES) {
      for (const maxLinks of links) {
        const plan = { sync, maxLinks, parser: false, crawlers: 4, size: 10 } as const;
        const step = await run.step(`stand-${sync}-${maxLinks}`, async () => ({
          wait: await once({ ...plan, whenFull: "wait" }, 300, STAND_PAGES),
          spill: await once({ ...plan, whenFull: "spill" }, 100),
        }));
        stands.push({ sync, links: maxLinks, ...step });
      }
    }
    const variants: Variant[] = [];
    for (const sync of ["coarse", "fine"] as const) {
      for (const size of [SIZE, "grow"] as const) {
        const name = `${sync}, ${size === "grow" ? "a list that grows" : `size ${SIZE}`}`;
        const work = () => repeated({ sync, size, crawlers: 16 });
        variants.push({ name, runs: await run.step(`variant-${sync}-${size}`, work) });
      }
    }
    const pools: Pool[] = [];
    for (const count of [1, ...processes]) {
      const work = () => poolRates(web.start, count, maxMs, repeats);
      pools.push({ processes: count, runs: await run.step(`pool-${count}`, work) });
    }
    const crawls: TimesLinks[] = [];
    for (const sync of crawled) {
      for (const each of timesLinks) {
        const key = `crawl-${sync}-${each.threads}x${each.links}`;
        const work = () =>
          crawlRates(profile, join(run.scratch, key), { sync, ...each }, run, settings);
        crawls.push({ sync, ...each, rates: await run.step(key, work) });
      }
    }
    return findings({ maxMs, repeats, curves, stands, variants, pools, crawls }, timesLinks);
  } finally {
    await lab.close();
    await web.close();
  }
}

const POOL_THREADS = 16;
/** Longer than any run: what is in flight when the time is up counts as in the other runs. */
const MAX_WAIT_MS = 30_000;

/**
 * A task per URL: one thread keeps frontier and set and posts URLs to others, which only fetch and parse; they are threads
 * of this process, or of several.
 */
async function poolRates(
  start: readonly string[],
  processes: number,
  maxMs: number,
  repeats: number,
): Promise<RoundsResult[]> {
  const threads = POOL_THREADS / processes;
  const settings = checkSettings({
    ...{ seeds: [...start], delayMs: 0, robots: false, threads, linksPerThread: 8 },
  });
  const config = configFrom(settings, { typed: start });
  const fetchers =
    processes === 1
      ? await RoundThreads.start(config)
      : await RoundProcesses.start(config, processes);
  try {
    const found: RoundsResult[] = [];
    // The first run is not counted: it compiles.
    for (let n = 0; n <= repeats; n++) {
      const startMs = performance.now();
      // A busy machine may not have brought the first page by then.
      const isInterrupted = (pages: number) => pages > 0 && performance.now() - startMs >= maxMs;
      const plan = {
        maxLinks: 1,
        leftovers: "keep",
        maxWaitMs: MAX_WAIT_MS,
        isInterrupted,
      } as const;
      found.push(await runContinuous(fetchers, start as CrawlUrl[], plan));
    }
    return found.slice(1);
  } finally {
    await fetchers.close();
  }
}

/** Ordinary crawls on a shared frontier, whose threads only try: pages per second, from the first answer to the last. */
async function crawlRates(
  profile: WebProfile,
  out: string,
  { sync, threads, links }: { sync: Technique; threads: number; links: number },
  { signal }: LabRun,
  { repeats }: LockSettings,
): Promise<number[]> {
  const rates: number[] = [];
  const maxPages = CRAWL_PAGES * threads * links;
  const settings = {
    frontier: SHARED_FRONTIER,
    frontierSize: SIZE,
    robots: false,
    store: "none",
  } as const;
  const given = { ...settings, sync, threads, linksPerThread: links, maxPages };
  return withWeb({ profile }, async (web) => {
    for (let n = 0; n < repeats; n++) {
      const crawl = () =>
        labCrawl(web, `${out}-${n}`, { ...given, maxTimeMs: MAX_CRAWL_MS }, signal);
      rates.push((await answeredRate(web, crawl)).rate);
    }
    return rates;
  });
}

const STANDARD: BlockingPlan = {
  sync: "monitor",
  size: SIZE,
  whenFull: "wait",
  crawlers: 1,
  parser: true,
  visited: "cas",
};

function findings(found: Found, timesLinks: LockSettings["timesLinks"]): Findings {
  const { maxMs, repeats, curves, stands } = found;
  const best = (sync: Technique) => bestOf(curves.find((curve) => curve.sync === sync)!);
  const loose = best("unsynchronised");
  const semaphore = best("semaphore");
  // What is said about the product's techniques does not depend on a lock of somebody's own.
  const yours = curves.find(({ sync }) => typeof sync !== "string");
  const correct = curves.filter((curve) => curve.sync !== "unsynchronised" && curve !== yours);
  const wasted = curves
    .find(({ sync }) => sync === "unsynchronised")!
    .points.flatMap(({ runs }) => runs)
    .reduce(
      (sum, { fetchedTwice, lost, overwritten }) => sum + fetchedTwice + lost + overwritten,
      0,
    );
  const bests = correct
    .filter(({ sync }) => sync !== "monitor-one-condition")
    .map((curve) => Math.max(1, bestOf(curve).pages));
  const apart = Math.max(...bests) / Math.min(...bests);
  const isWorst = correct.every((curve) => bestOf(curve).pages >= loose.pages);
  const stuck = stands.filter(
    ({ wait, links }) => links >= 2 && wait.ended === "stood-still",
  ).length;
  const many = stands.filter(({ links }) => links >= 2).length;
  const free = stands.filter(({ spill }) => spill.ended !== "stood-still").length;
  return {
    setup: `${maxMs} ms per run instead of 3,000 where that is less, ${repeats} of each, frontier size ${SIZE}. Real threads with one synchronous request each, and one parser that inserts; 128 of them take about 1.3 GB. Ordinary crawls have more requests in flight than threads: there ${timesLinks.map(({ threads, links }) => `${threads * links} are ${threads} threads x ${links} links`).join(", ")}, in a table of their own. Web: one host, pages of 1 to 4 KB with 26 links, answers after ${LATENCY.median} ms (log-normal, spread ${LATENCY.spread}). The unsynchronised queue overwrites when it is full, as the document's does; all others wait.${yours === undefined ? "" : ` "${OWN_NAME}" is the lock of --sync, which waits as well; what it lost cannot be counted.`}`,
    tables: [
      pagesTable(found),
      timesLinksTable(found),
      costTable(found),
      standTable(found),
      variantTable(found),
      poolTable(found, POOL_THREADS),
      amdahlTable(found),
    ],
    plots: [
      curvePlot(
        found,
        "techniques",
        "Every technique",
        `The best synchronised technique fetches ${rounded(apart, 1)} times what the worst does; curves that lie within each other's range do not differ.`,
        TECHNIQUES.slice(0, 8),
      ),
      curvePlot(
        found,
        "document",
        "The document's techniques",
        "With one condition a frontier of 30 may stand still beyond 60 threads; lab collapse shows when and why.",
        ["unsynchronised", "semaphore", "monitor-one-condition", "monitor", "lock-free"],
      ),
      ...(yours === undefined ? [] : [ownPlot(found, yours)]),
    ],
    paper: [
      {
        what: "unsynchronised, best",
        paper: "about 5,000 pages in 3 s, and worst",
        ours: `${rounded(loose.pages, 0)} pages in ${maxMs} ms at ${loose.threads} threads`,
        agrees: isWorst,
      },
      {
        what: "unsynchronised wastes work",
        paper: "URLs overwritten and fetched twice",
        ours: `${wasted} in all runs`,
        agrees: wasted > 0,
      },
      {
        what: "semaphore, best",
        paper: "at 8 threads (8 fast cores)",
        ours: `at ${semaphore.threads} threads`,
      },
      {
        what: "blocking inserts of 2 links and more",
        paper: "not mentioned",
        ours: `${stuck} of ${many} configurations stood still`,
      },
      ...(yours === undefined ? [] : [ownValue(yours, best("monitor"))]),
    ],
    verdict: {
      claim: isWorst ? "agrees" : "partly",
      why: `More threads help while they wait for servers, and the best of the synchronised techniques fetches ${rounded(apart, 1)} times as many pages as the worst${apart < 1.5 ? ": they lie close together" : ""}. ${isWorst ? "The unsynchronised queue is worst, as the document says" : "The unsynchronised queue is not the slowest here, unlike in the document: it wastes work, but never waits"}. Crawlers that wait for room which only crawlers can make stand still with every technique (${stuck} of ${many}), and with spilling none does (${free} of ${stands.length}).`,
    },
  };
}

/** A lock of one's own beside three of the product's. */
function ownPlot(found: Found, { sync, points }: Curve) {
  const { stood, twice } = faultsOf(points.flatMap(({ runs }) => runs));
  const said =
    stood + twice === 0
      ? "none of its runs stood still and nothing was fetched twice, which proves nothing: orbweaver verify --subject does"
      : `${stood} of its runs stood still, and ${twice} pages were fetched twice`;
  return curvePlot(found, OWN_NAME, "The lock of --sync", `Of ${OWN_NAME}: ${said}.`, [
    sync,
    "semaphore",
    "monitor",
    "lock-free",
  ]);
}

function ownValue(yours: Curve, monitor: { threads: number; pages: number }) {
  const { threads, pages } = bestOf(yours);
  const { stood, twice } = faultsOf(yours.points.flatMap(({ runs }) => runs));
  return {
    what: "the lock of --sync, best",
    paper: "not in it",
    ours: `${rounded(pages, 0)} pages at ${threads} threads (monitor: ${rounded(monitor.pages, 0)} at ${monitor.threads}); ${stood} runs stood still, ${twice} pages fetched twice`,
  };
}

function faultsOf(runs: readonly BlockingResult[]) {
  return {
    stood: runs.filter(({ ended }) => ended === "stood-still").length,
    twice: runs.reduce((sum, { fetchedTwice }) => sum + fetchedTwice, 0),
  };
}

function curvePlot(
  { curves, maxMs, repeats }: Found,
  name: string,
  title: string,
  see: string,
  syncs: readonly BlockingPlan["sync"][],
) {
  return {
    name,
    svg: linePlot({
      title: `${title}: pages crawled in ${maxMs} ms against threads`,
      caption: `Mean and range of ${repeats}; frontier size ${SIZE}. ${see}`,
      x: { label: "threads", log: true },
      y: { label: "pages crawled" },
      series: syncs.map((sync) => ({
        name: nameOf(sync),
        points: curves
          .find((curve) => nameOf(curve.sync) === nameOf(sync))!
          .points.map(({ threads, runs }) => {
            const { mean, low, high } = pagesOf(runs);
            return { x: threads, y: mean, low, high };
          }),
      })),
    }),
  };
}
