import { linePlot } from "../../stats/plot/line-plot.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { collapseGrid, GRID_SIZES, type GridCell } from "../../verify/collapse-grid.ts";
import { type BlockingResult, runBlocking } from "../blocking/blocking-crawl.ts";
import { Laboratory } from "../blocking/laboratory.ts";
import {
  counted,
  type Experiment,
  type Findings,
  type LabRun,
  measured,
  type Table,
} from "../experiment.ts";
import { startListingWeb } from "../locks/listing-web.ts";
import { OWN_NAME } from "../locks/lock-tables.ts";
import { rounded, spreadOf } from "../run-spread.ts";

/** CPU seconds for one search; the largest takes two. */
const GRID_BUDGET_S = 60;

const LATENCY_MS = 2;
/** More than any frontier here holds, so that a list fills it at once. */
const LEAVES = 60;
/** A run has at least so many times the frontier size of pages, also when its time is up. */
const MIN_PAGES = 6;
/** Where it can come to a stand it goes on for so many: threads of a busy machine may need a few bursts to all fall asleep. */
const MAX_PAGES_TO_STAND = 200;
const SYNCS = ["monitor-one-condition", "monitor"] as const;
type Sync = (typeof SYNCS)[number];

/** A lock of one's own, of --sync. */
const OWN = "own";

const NAMES: Readonly<Record<Sync | typeof OWN, string>> = {
  "monitor-one-condition": "one condition",
  monitor: "two conditions",
  own: OWN_NAME,
};

/** What is kept of one run. */
interface Sample {
  readonly pages: number;
  /** Pages per second in the last quarter of the time. */
  readonly lateRate: number;
  readonly stood: boolean;
  readonly useless: number;
  readonly blockedS: number;
}

const NONE = "none";

/** What the explorer of `verify` proves for B = 1, 2, 3 and T threads that produce or consume for ever, as a rule for every B. */
export function reachable(sync: Sync | typeof OWN, size: number, threads: number): string {
  if (sync === OWN) return "verify --subject tells";
  return sync === "monitor-one-condition" && threads > 2 * size ? "deadlock reachable" : NONE;
}

/** The thread counts that are tried for a frontier of that size. */
export function threadCounts(size: number, isDense: boolean): number[] {
  const key = [size, 2 * size, 2 * size + 1, 4 * size];
  const more = [Math.ceil(size / 2), Math.ceil(1.5 * size), Math.ceil(2.5 * size), 3 * size];
  const all = isDense ? [...key, ...more] : key;
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Figures 16 to 18 of document 000: the monitor that collapses at twice the frontier size. */
export const experiment: Experiment = {
  name: "collapse",
  document: "000",
  question:
    "Why does the monitor's performance drop when the number of threads reaches twice the frontier size?",
  seconds: { quick: 28, normal: 130, full: 240 },
  run: (run) =>
    measureCollapse(run, {
      sizes: [10, 20, 30],
      maxMs: run.pick(300, 1000, 1500),
      repeats: run.repeats(2, 3, 2),
      listings: run.pick(400, 1200, 2400),
      isDense: run.size !== "quick",
      gridSizes: run.pick<readonly number[]>([2, 3], GRID_SIZES, GRID_SIZES),
    }),
};

/** How much is measured. */
export interface CollapseSettings {
  readonly sizes: readonly number[];
  readonly maxMs: number;
  readonly repeats: number;
  readonly listings: number;
  /** Also thread counts between the four of the specification. */
  readonly isDense: boolean;
  /** Sizes that the explorer goes through exhaustively. */
  readonly gridSizes: readonly number[];
}

/** Runs both monitors at every size and thread count. */
export async function measureCollapse(run: LabRun, settings: CollapseSettings): Promise<Findings> {
  const { maxMs, repeats, listings } = settings;
  const plans = plansOf(settings, run.sync !== undefined);
  run.plan(plans.length + 1);
  const found: Found[] = [];
  const web = await startListingWeb(
    { listings, leaves: LEAVES, latencyMs: LATENCY_MS },
    run.scratch,
  );
  const lab = await Laboratory.openFor(web.start, 128);
  try {
    const sampled = async ({ size, sync, threads, parserFirst }: Plan) => {
      const samples: Sample[] = [];
      for (let n = 0; n < repeats; n++) {
        const blocking = {
          sync: sync === OWN ? { module: run.sync! } : sync,
          size,
          whenFull: "wait",
          crawlers: threads - 1,
          parser: true,
          visited: "cas",
          parserFirst,
        } as const;
        const mayStand = parserFirst && reachable(sync, size, threads) !== NONE;
        const limits = { maxMs, minPages: size * (mayStand ? MAX_PAGES_TO_STAND : MIN_PAGES) };
        const result = await runBlocking(lab, blocking, web.start as CrawlUrl[], limits);
        samples.push(sampleOf(result));
      }
      return samples;
    };
    for (const plan of plans) {
      const { sync, size, threads, parserFirst } = plan;
      const work = () => sampled(plan);
      found.push({
        ...plan,
        samples: await run.step(`${sync}-${size}-${threads}-${parserFirst}`, work),
      });
    }
  } finally {
    await lab.close();
    await web.close();
  }
  const grid = await run.step("grid", () => collapseGrid(settings.gridSizes, GRID_BUDGET_S));
  return findings(settings, found, grid);
}

/** One monitor at one size and thread count; does the parser go first when crawlers are woken? */
interface Plan {
  readonly size: number;
  readonly sync: Sync | typeof OWN;
  readonly threads: number;
  readonly parserFirst: boolean;
}

interface Found extends Plan {
  readonly samples: readonly Sample[];
}

/**
 * Everything with the parser first, and as it comes what may stand still (all of it where there is time); a lock of one's
 * own only as it comes, because nobody knows on which of its words a thread waits for room.
 */
function plansOf({ sizes, isDense }: CollapseSettings, hasOwn: boolean): Plan[] {
  const first = sizes.flatMap((size) =>
    SYNCS.flatMap((sync) =>
      threadCounts(size, isDense).map((threads) => ({ size, sync, threads, parserFirst: true })),
    ),
  );
  const free = first.filter(
    ({ size, threads }) => threads === 4 * size || (isDense && threads > size),
  );
  const own = sizes.flatMap((size) =>
    threadCounts(size, false).map((threads) => ({ size, sync: OWN, threads }) as const),
  );
  return [
    ...first,
    ...[...free, ...(hasOwn ? own : [])].map((plan) => ({ ...plan, parserFirst: false })),
  ];
}

function sampleOf(result: BlockingResult): Sample {
  return {
    pages: result.pages,
    lateRate: result.lateRate,
    stood: result.ended === "stood-still",
    useless: result.uselessWakeUps,
    blockedS: result.blockedInsertS + result.blockedTakeS,
  };
}

function findings(
  { sizes, maxMs, repeats }: CollapseSettings,
  found: readonly Found[],
  grid: readonly GridCell[],
): Findings {
  const rows = found.map((plan) => ({
    ...plan,
    rate: spreadOf(plan.samples.map(({ lateRate }) => lateRate)),
    stood: plan.samples.filter((sample) => sample.stood).length,
  }));
  const first = rows.filter(({ parserFirst }) => parserFirst);
  const free = rows.filter(({ parserFirst, sync }) => !parserFirst && sync !== OWN);
  const own = rows.filter(({ sync }) => sync === OWN);
  const isAbove = ({ size, threads }: Plan) => threads > 2 * size;
  const one = first.filter(({ sync }) => sync === "monitor-one-condition");
  const above = one.filter(isAbove);
  const below = one.filter((row) => !isAbove(row));
  const two = first.filter(({ sync }) => sync === "monitor");
  const freeAbove = free.filter((row) => isAbove(row) && row.sync === "monitor-one-condition");
  const freeSafe = free.filter((row) => !freeAbove.includes(row));
  const count = (some: readonly Row[]) => some.reduce((sum, { stood }) => sum + stood, 0);
  const told = (some: readonly Row[]) =>
    `${count(some)} of ${some.length * repeats} runs stood still`;
  const isClean = count([...below, ...two, ...freeSafe]) === 0;
  const falls = above.every(({ rate }) => rate.high === 0);
  const holds = isClean && falls && above.length > 0;
  const rule = grid.every(
    ({ conditions, size, threads, verdict }) =>
      verdict === (conditions === 1 && threads > 2 * size ? "deadlock" : "none"),
  );
  const proved = `B = ${[...new Set(grid.map(({ size }) => size))].join(", ")}`;
  const why = holds
    ? `With one condition every run beyond twice the frontier size comes to a stand, none up to it, and with two conditions none`
    : `With one condition ${told(above)} beyond twice the frontier size and ${told(below)} up to it; with two conditions ${told(two)}`;
  return {
    setup: `${maxMs} ms per run (the document: 3,000), more where a busy machine has not fetched ${MIN_PAGES} times the frontier size by then, or ${MAX_PAGES_TO_STAND} times where a stand can come and has not, ${repeats} of each. T threads in all: T - 1 crawlers, which take, fetch and wait for a URL, and one parser, which inserts and waits for room. The web lists ${LEAVES} pages at a time and then the next list, ${LATENCY_MS} ms per answer, so links come in bursts while crawlers sleep. A run that stands still for 500 ms ends. In the first table and the plots the parser begins a page when all crawlers sleep or fetch, and goes first, with both monitors: a crawler that was woken goes on only when the parser sleeps or has no page left. Any scheduler may do that; when none is told to (second table) the same end comes by chance.`,
    tables: [
      tableOf("Monitor with one condition against two, the parser goes first", first),
      tableOf("The same as it comes", [...free, ...own]),
      gridTable(grid),
    ],
    plots: sizes.map((size) => ({
      name: `b${size}`,
      svg: plotOf(size, [...first, ...own], maxMs, repeats),
    })),
    paper: [
      {
        what: "drop at frontier size 30 / 20 / 10",
        paper: "60 / 40 / 20 threads",
        ours: sizes
          .toReversed()
          .map((size) => firstStand(above, size))
          .join(" / "),
        agrees: holds,
      },
      {
        what: "up to twice the frontier size",
        paper: "no drop",
        ours: told(below),
        agrees: count(below) === 0,
      },
      { what: "two conditions", paper: "not tried", ours: told(two) },
      {
        what: "one condition, beyond twice the size, as it comes",
        paper: "drop",
        ours: told(freeAbove),
      },
      ...(own.length === 0
        ? []
        : [{ what: "the lock of --sync, as it comes", paper: "not in it", ours: told(own) }]),
    ],
    verdict: {
      claim: holds ? "agrees" : isClean && count(above) > 0 ? "partly" : "differs",
      why: `${why}. A burst fills the frontier and puts the parser to sleep behind waiting crawlers: their signals then wake each other and never the parser. The document's drop is consistent with this deadlock, which the explorer ${rule ? "finds reachable exactly from 2B + 1 threads on" : "does not find as expected"} (${proved}; orbweaver replay collapse shows it step by step).`,
    },
  };
}

/** What exhaustive exploration of the same monitor says for sizes that it can go through. */
function gridTable(grid: readonly GridCell[]): Table {
  return {
    title: "The explorer: is a deadlock reachable with B slots and T threads? (T >= 2B + 1)",
    columns: [
      ...[counted("conditions"), counted("frontier size B"), counted("threads T")],
      ...[counted("2B + 1"), counted("verdict"), counted("splits explored"), counted("states")],
    ],
    rows: grid.map(({ conditions, size, threads, verdict, splits, states }) => [
      ...[conditions, size, threads, 2 * size + 1, verdict, splits, states],
    ]),
  };
}

interface Row extends Found {
  readonly rate: ReturnType<typeof spreadOf>;
  readonly stood: number;
}

function tableOf(title: string, rows: readonly Row[]): Table {
  return {
    title,
    columns: [
      ...[counted("frontier size"), counted("conditions"), counted("threads")],
      ...[counted("threads / size"), counted("explorer"), counted("runs")],
      ...[measured("stood still", "runs"), measured("pages per run")],
      ...[measured("late pages", "pages/s"), measured("SD", "pages/s")],
      ...[measured("useless wake-ups"), measured("blocked", "thread-s")],
    ],
    rows: rows.map(({ size, sync, threads, samples, rate, stood }) => {
      const mean = (of: (sample: Sample) => number) => spreadOf(samples.map(of)).mean;
      return [
        ...[size, NAMES[sync], threads, rounded(threads / size, 2)],
        ...[reachable(sync, size, threads), samples.length, stood],
        rounded(
          mean(({ pages }) => pages),
          1,
        ),
        ...[rounded(rate.mean, 1), rounded(rate.deviation, 1)],
        rounded(
          mean(({ useless }) => useless),
          1,
        ),
        rounded(
          mean(({ blockedS }) => blockedS),
          2,
        ),
      ];
    }),
  };
}

function plotOf(size: number, all: readonly Row[], maxMs: number, repeats: number): string {
  const rows = all.filter((row) => row.size === size);
  const beyond = rows.filter(({ threads }) => threads > 2 * size);
  const isZero = (sync: Sync) =>
    beyond.filter((row) => row.sync === sync).every(({ rate }) => rate.high === 0);
  const said = (sync: Sync) =>
    isZero(sync) ? "falls to zero, because every thread sleeps" : "does not fall to zero";
  return linePlot({
    title: `Monitor, frontier size ${size}: pages per second against threads`,
    caption: `Last quarter of runs of ${maxMs} ms, mean and range of ${repeats}. Beyond ${2 * size} threads the curve with one condition ${said("monitor-one-condition")}; with two it ${said("monitor")}.`,
    x: { label: "threads (crawlers and one parser)" },
    y: { label: "pages per second" },
    series: ([...SYNCS, OWN] as const)
      .filter((sync) => rows.some((row) => row.sync === sync))
      .map((sync) => ({
        name: sync === OWN ? `${OWN_NAME}, as it comes` : NAMES[sync],
        points: rows
          .filter((row) => row.sync === sync)
          .map(({ threads, rate }) => ({
            x: threads,
            y: rate.mean,
            low: rate.low,
            high: rate.high,
          })),
      })),
  });
}

function firstStand(rows: readonly Row[], size: number): string {
  const first = rows.find((row) => row.size === size && row.stood > 0);
  return first === undefined ? "none in these runs" : `${first.threads} threads`;
}
