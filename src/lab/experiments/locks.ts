import { checkSettings, configFrom } from "../../config/crawl-config.ts";
import { TECHNIQUES } from "../../config/values/technique-names.ts";
import type { Technique } from "../../frontier/shared/techniques/record-queue.ts";
import { linePlot } from "../../stats/plot/line-plot.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { PROFILES } from "../../web/profile.ts";
import { startWebProcess } from "../../web/web-process.ts";
import { type BlockingResult, runBlocking } from "../blocking/blocking-crawl.ts";
import type { BlockingPlan } from "../blocking/blocking-plan.ts";
import { Laboratory } from "../blocking/laboratory.ts";
import type { Experiment, Findings, LabRun } from "../experiment.ts";
import {
  amdahlTable,
  bestOf,
  type Curve,
  costTable,
  type Found,
  nameOf,
  pagesOf,
  pagesTable,
  poolTable,
  type Stand,
  standTable,
  type Variant,
  variantTable,
} from "../locks/lock-tables.ts";
import { type RoundsResult, RoundThreads, runContinuous } from "../rounds/rounds-crawl.ts";
import { rounded } from "../run-spread.ts";

const SIZE = 30;
const DOCUMENT_THREADS = [1, 2, 4, 8, 16, 32, 64, 128];
/** A run of the second deadlock goes on until it stands or has so many pages, however busy the machine is. */
const STAND_PAGES = 100;
const LATENCY = { median: 5, spread: 0.3 };

/** Figures 13 to 16 of document 000: every technique, frontier size 30, 1 to 128 threads. */
export const experiment: Experiment = {
  name: "locks",
  document: "000",
  question:
    "How many pages does a crawler fetch in a fixed time, by locking technique and number of threads?",
  seconds: { quick: 30, normal: 240, full: 1500 },
  run: (run) =>
    measureLocks(run, {
      threadCounts: run.pick([1, 8, 64], DOCUMENT_THREADS, DOCUMENT_THREADS),
      links: run.pick([2], [1, 2, 10], [1, 2, 10]),
      maxMs: run.pick(250, 1000, 3000),
      repeats: run.repeats(2, 3, 5),
      pages: run.pick(20_000, 40_000, 80_000),
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
}

/** Runs every technique at every thread count, then what the document leaves for later. */
export async function measureLocks(run: LabRun, settings: LockSettings): Promise<Findings> {
  const { threadCounts, links, maxMs, repeats, pages } = settings;
  run.plan(TECHNIQUES.length * threadCounts.length + TECHNIQUES.length * links.length + 5);
  const web = await startWebProcess({
    profile: {
      ...PROFILES.small,
      seed: run.seed,
      pages,
      crossHostShare: 0,
      minBytes: 1024,
      maxBytes: 4096,
      latencyMs: LATENCY,
    },
  });
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
    const curves: Curve[] = [];
    for (const sync of TECHNIQUES) {
      const whenFull = sync === "unsynchronised" ? "overwrite" : "wait";
      const points: Curve["points"][number][] = [];
      for (const threads of threadCounts) {
        const work = () => repeated({ sync, whenFull, crawlers: threads });
        points.push({ threads, runs: await run.step(`${sync}-${threads}`, work) });
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
    const pool = await run.step("pool", () => poolRates(web.start, maxMs, repeats));
    return findings({ maxMs, repeats, curves, stands, variants, pool });
  } finally {
    await lab.close();
    await web.close();
  }
}

const POOL_THREADS = 16;

/** A task per URL: one thread keeps frontier and set and posts URLs to others, which only fetch and parse. */
async function poolRates(
  start: readonly string[],
  maxMs: number,
  repeats: number,
): Promise<RoundsResult[]> {
  const settings = checkSettings({
    ...{ seeds: [...start], delayMs: 0, robots: false, threads: POOL_THREADS, linksPerThread: 8 },
  });
  const threads = await RoundThreads.start(configFrom(settings, { typed: start }));
  try {
    const found: RoundsResult[] = [];
    for (let n = 0; n < repeats; n++) {
      const startMs = performance.now();
      const isInterrupted = () => performance.now() - startMs >= maxMs;
      const plan = { maxLinks: 1, leftovers: "keep", maxWaitMs: maxMs, isInterrupted } as const;
      found.push(await runContinuous(threads, start as CrawlUrl[], plan));
    }
    return found;
  } finally {
    await threads.close();
  }
}

const STANDARD: BlockingPlan = {
  sync: "monitor",
  size: SIZE,
  whenFull: "wait",
  crawlers: 1,
  parser: true,
  visited: "cas",
};

function findings(found: Found): Findings {
  const { maxMs, repeats, curves, stands } = found;
  const best = (sync: Technique) => bestOf(curves.find((curve) => curve.sync === sync)!);
  const loose = best("unsynchronised");
  const semaphore = best("semaphore");
  const correct = curves.filter(({ sync }) => sync !== "unsynchronised");
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
    setup: `${maxMs} ms per run instead of 3,000 where that is less, ${repeats} of each, frontier size ${SIZE}. Real threads with one synchronous request each, and one parser that inserts (no T x L: every thread is one, 128 of them take about 1.3 GB). Web: one host, pages of 1 to 4 KB with 26 links, answers after ${LATENCY.median} ms (log-normal, spread ${LATENCY.spread}). The unsynchronised queue overwrites when it is full, as the document's does; all others wait.`,
    tables: [
      pagesTable(found),
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
        "The document's three",
        "With one condition a frontier of 30 may stand still beyond 60 threads; lab collapse shows when and why.",
        ["unsynchronised", "semaphore", "monitor-one-condition", "monitor", "lock-free"],
      ),
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
    ],
    verdict: {
      claim: isWorst ? "agrees" : "partly",
      why: `More threads help while they wait for servers, and the best of the synchronised techniques fetches ${rounded(apart, 1)} times as many pages as the worst${apart < 1.5 ? ": they lie close together" : ""}. ${isWorst ? "The unsynchronised queue is worst, as the document says" : "The unsynchronised queue is not the slowest here, unlike in the document: it wastes work, but never waits"}. Crawlers that wait for room which only crawlers can make stand still with every technique (${stuck} of ${many}), and with spilling none does (${free} of ${stands.length}).`,
    },
  };
}

function curvePlot(
  { curves, maxMs, repeats }: Found,
  name: string,
  title: string,
  see: string,
  syncs: readonly Technique[],
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
          .find((curve) => curve.sync === sync)!
          .points.map(({ threads, runs }) => {
            const { mean, low, high } = pagesOf(runs);
            return { x: threads, y: mean, low, high };
          }),
      })),
    }),
  };
}
