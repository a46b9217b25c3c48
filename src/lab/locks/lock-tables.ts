import type { Technique } from "../../frontier/shared/techniques/record-queue.ts";
import type { BlockingResult } from "../blocking/blocking-crawl.ts";
import type { BlockingPlan } from "../blocking/blocking-plan.ts";
import { counted, measured, type Table } from "../experiment.ts";
import type { RoundsResult } from "../rounds/rounds-crawl.ts";
import { rounded, spreadOf } from "../run-spread.ts";
import { amdahlShare } from "./amdahl.ts";

/** The document's name of the queue without any synchronisation. */
export const nameOf = (sync: BlockingPlan["sync"]) => {
  if (typeof sync !== "string") return OWN_NAME;
  return sync === "unsynchronised" ? 'unsynchronised (the document\'s "lock-free")' : sync;
};

/** What a lock of one's own (`--sync`) is called. */
export const OWN_NAME = "yours";

/** A technique, or a lock of one's own, at every thread count. */
export interface Curve {
  readonly sync: BlockingPlan["sync"];
  readonly points: readonly {
    readonly threads: number;
    readonly runs: readonly BlockingResult[];
  }[];
}

/** Crawlers that wait for room, and the same that keep what does not fit. */
export interface Stand {
  readonly sync: Technique;
  readonly links: number;
  readonly wait: BlockingResult;
  readonly spill: BlockingResult;
}

/** Another kind of frontier. */
export interface Variant {
  readonly name: string;
  readonly runs: readonly BlockingResult[];
}

/** Everything that was measured. */
export interface Found {
  readonly maxMs: number;
  readonly repeats: number;
  readonly curves: readonly Curve[];
  readonly stands: readonly Stand[];
  readonly variants: readonly Variant[];
  /** A task per URL instead of a loop per thread. */
  readonly pools: readonly Pool[];
  readonly crawls: readonly TimesLinks[];
}

/** Tasks that threads of so many processes do. */
export interface Pool {
  readonly processes: number;
  readonly runs: readonly RoundsResult[];
}

/** Ordinary crawls with T threads and L requests in flight each. */
export interface TimesLinks {
  readonly sync: Technique;
  readonly threads: number;
  readonly links: number;
  /** Pages per second. */
  readonly rates: readonly number[];
}

/** Pages of some runs. */
export const pagesOf = (runs: readonly BlockingResult[]) =>
  spreadOf(runs.map(({ pages }) => pages));
const meanOf = (runs: readonly BlockingResult[], of: (run: BlockingResult) => number) =>
  spreadOf(runs.map(of)).mean;

/** The thread count with the most pages. */
export function bestOf({ points }: Curve): { threads: number; pages: number } {
  const means = points.map(({ threads, runs }) => ({ threads, pages: pagesOf(runs).mean }));
  return means.reduce((a, b) => (b.pages > a.pages ? b : a));
}

/** Figures 13 to 16 as numbers. */
export function pagesTable({ curves, repeats, maxMs }: Found): Table {
  return {
    title: `Pages crawled in ${maxMs} ms (the document: 3,000 ms), one request per thread (T x 1)`,
    columns: [
      ...[counted("technique"), counted("threads"), counted("runs")],
      ...[measured("pages"), measured("SD"), measured("success", "%"), measured("fetched twice")],
      ...[measured("lost"), measured("overwritten"), measured("stood still", "runs")],
    ],
    rows: curves.flatMap(({ sync, points }) =>
      points.map(({ threads, runs }) => {
        const { mean, deviation } = pagesOf(runs);
        const failed = meanOf(runs, (run) => run.failed);
        return [
          ...[nameOf(sync), threads, repeats, rounded(mean, 1), rounded(deviation, 1)],
          rounded((100 * mean) / Math.max(1, mean + failed)),
          rounded(meanOf(runs, (run) => run.fetchedTwice)),
          rounded(meanOf(runs, (run) => run.lost)),
          rounded(meanOf(runs, (run) => run.overwritten)),
          runs.filter(({ ended }) => ended === "stood-still").length,
        ];
      }),
    ),
  };
}

/** What waiting, waking and aborting cost. */
export function costTable({ curves }: Found): Table {
  return {
    title: "What synchronisation costs, mean per run",
    columns: [
      ...[counted("technique"), counted("threads"), measured("URL after", "us, median")],
      ...[measured("p99", "us"), measured("blocked in take", "thread-s")],
      ...[measured("blocked in insert", "thread-s"), measured("wake-ups"), measured("useless")],
      ...[
        measured("aborts"),
        measured("restarts"),
        measured("fairness"),
        measured("context switches"),
      ],
    ],
    rows: curves.flatMap(({ sync, points }) =>
      points.map(({ threads, runs }) => [
        nameOf(sync),
        threads,
        rounded(
          meanOf(runs, (run) => run.pickMedianUs),
          0,
        ),
        rounded(
          meanOf(runs, (run) => run.pickP99Us),
          0,
        ),
        rounded(
          meanOf(runs, (run) => run.blockedTakeS),
          3,
        ),
        rounded(
          meanOf(runs, (run) => run.blockedInsertS),
          3,
        ),
        rounded(
          meanOf(runs, (run) => run.wakeUps),
          0,
        ),
        rounded(
          meanOf(runs, (run) => run.uselessWakeUps),
          0,
        ),
        rounded(
          meanOf(runs, (run) => run.aborts),
          0,
        ),
        rounded(
          meanOf(runs, (run) => run.restarts),
          0,
        ),
        rounded(
          meanOf(runs, (run) => run.fairness),
          3,
        ),
        runs[0]!.contextSwitches === undefined
          ? null
          : rounded(
              meanOf(runs, (run) => run.contextSwitches ?? 0),
              0,
            ),
      ]),
    ),
  };
}

/** Who stands still. */
export function standTable({ stands }: Found): Table {
  const told = ({ ended }: BlockingResult) => (ended === "stood-still" ? "stood still" : "went on");
  return {
    title: "The second deadlock: 4 crawlers that insert what they find, frontier size 10",
    columns: [
      ...[counted("technique"), counted("links per page"), measured("waiting for room")],
      ...[measured("pages"), measured("keeping what does not fit"), measured("pages, keeping")],
    ],
    rows: stands.map(({ sync, links, wait, spill }) => [
      ...[nameOf(sync), links, told(wait), wait.pages, told(spill), spill.pages],
    ]),
  };
}

/** The document's future work. */
export function variantTable({ variants }: Found): Table {
  return {
    title: "Future work of the document: lists that grow, fine against coarse (16 threads)",
    columns: [
      counted("frontier"),
      measured("pages"),
      measured("SD"),
      measured("blocked in insert", "thread-s"),
    ],
    rows: variants.map(({ name, runs }) => {
      const { mean, deviation } = pagesOf(runs);
      const blocked = rounded(
        meanOf(runs, (run) => run.blockedInsertS),
        3,
      );
      return [name, rounded(mean, 1), rounded(deviation, 1), blocked];
    }),
  };
}

/** Threads above 32 as T x L. */
export function timesLinksTable({ curves, crawls, maxMs }: Found): Table {
  return {
    title:
      "The same number of requests in flight by fewer threads: T x L, ordinary crawls that only try",
    columns: [
      ...[counted("technique"), counted("T x L"), counted("in flight"), counted("runs")],
      ...[measured("T x L", "pages/s"), measured("SD", "pages/s")],
      measured("as many threads (T x 1)", "pages/s"),
    ],
    rows: crawls.map(({ sync, threads, links, rates }) => {
      const { mean, deviation } = spreadOf(rates);
      const same = curves
        .find((curve) => curve.sync === sync)
        ?.points.find((point) => point.threads === threads * links);
      return [
        ...[nameOf(sync), `${threads} x ${links}`, threads * links, rates.length],
        ...[rounded(mean, 1), rounded(deviation, 1)],
        same === undefined ? null : rounded(pagesOf(same.runs).mean / (maxMs / 1000), 1),
      ];
    }),
  };
}

/** The document's other future work: a task per URL against a loop per thread, and several processes. */
export function poolTable({ variants, pools }: Found, threads: number): Table {
  type Timed = readonly { pages: number; seconds: number }[];
  const row = (name: string, processes: number, runs: Timed) => {
    const rates = runs.map(({ pages, seconds }) => pages / Math.max(0.001, seconds));
    const { mean, deviation } = spreadOf(rates);
    return [name, processes, threads / processes, rounded(mean, 1), rounded(deviation, 1)];
  };
  return {
    title: `Future work of the document: a task per URL (pool) against a loop per thread, and several processes (${threads} threads in all)`,
    columns: [
      ...[counted("how"), counted("processes"), counted("threads each")],
      ...[measured("pages", "pages/s"), measured("SD", "pages/s")],
    ],
    rows: [
      ...variants.slice(0, 1).map(({ name, runs }) => row(`a loop per thread (${name})`, 1, runs)),
      ...pools.map(({ processes, runs }) =>
        row("a task per URL, posted by the thread that holds the frontier", processes, runs),
      ),
    ],
  };
}

/** The share of the work that ran in parallel. */
export function amdahlTable({ curves }: Found): Table {
  return {
    title: "Amdahl's law fitted to each curve up to its best point",
    columns: [
      counted("technique"),
      measured("parallel share"),
      measured("best threads"),
      measured("speed-up there"),
    ],
    rows: curves.map((curve) => {
      const best = bestOf(curve);
      const first = Math.max(1, pagesOf(curve.points[0]!.runs).mean);
      const points = curve.points
        .filter(({ threads }) => threads <= best.threads)
        .map(({ threads, runs }) => ({ threads, speedUp: pagesOf(runs).mean / first }));
      return [
        nameOf(curve.sync),
        rounded(amdahlShare(points), 4),
        best.threads,
        rounded(best.pages / first),
      ];
    }),
  };
}
