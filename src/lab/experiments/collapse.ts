import { linePlot } from "../../stats/plot/line-plot.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { type BlockingResult, runBlocking } from "../blocking/blocking-crawl.ts";
import { Laboratory } from "../blocking/laboratory.ts";
import { counted, type Experiment, type Findings, type LabRun, measured } from "../experiment.ts";
import { startListingWeb } from "../locks/listing-web.ts";
import { rounded, spreadOf } from "../run-spread.ts";

const LATENCY_MS = 2;
/** More than any frontier here holds, so that a list fills it at once. */
const LEAVES = 60;
const SYNCS = ["monitor-one-condition", "monitor"] as const;
type Sync = (typeof SYNCS)[number];

const NAMES: Readonly<Record<Sync, string>> = {
  "monitor-one-condition": "one condition",
  monitor: "two conditions",
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

/** What the explorer of `verify` proves for B slots and T threads that produce or consume for ever. */
export function reachable(sync: Sync, size: number, threads: number): string {
  return sync === "monitor-one-condition" && threads > 2 * size ? "deadlock reachable" : "none";
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
  seconds: { quick: 40, normal: 150, full: 900 },
  run: (run) =>
    measureCollapse(run, {
      sizes: [10, 20, 30],
      maxMs: run.pick(700, 1500, 3000),
      repeats: run.repeats(2, 3, 5),
      listings: run.pick(400, 1200, 2400),
      isDense: run.size !== "quick",
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
}

/** Runs both monitors at every size and thread count. */
export async function measureCollapse(run: LabRun, settings: CollapseSettings): Promise<Findings> {
  const { sizes, maxMs, repeats, listings, isDense } = settings;
  const plans = sizes.flatMap((size) =>
    SYNCS.flatMap((sync) =>
      threadCounts(size, isDense).map((threads) => ({ size, sync, threads })),
    ),
  );
  run.plan(plans.length);
  const samples = new Map<string, Sample[]>();
  const web = await startListingWeb(
    { listings, leaves: LEAVES, latencyMs: LATENCY_MS },
    run.scratch,
  );
  const lab = await Laboratory.openFor(web.start, 128);
  try {
    const sampled = async ({ size, sync, threads }: (typeof plans)[number]) => {
      const found: Sample[] = [];
      for (let n = 0; n < repeats; n++) {
        const blocking = {
          sync,
          size,
          whenFull: "wait",
          crawlers: threads - 1,
          parser: true,
          visited: "cas",
        } as const;
        const result = await runBlocking(lab, blocking, web.start as CrawlUrl[], { maxMs });
        found.push(sampleOf(result, maxMs));
      }
      return found;
    };
    for (const plan of plans) {
      const key = keyOf(plan.sync, plan.size, plan.threads);
      samples.set(key, await run.step(key, () => sampled(plan)));
    }
  } finally {
    await lab.close();
    await web.close();
  }
  return findings(settings, samples);
}

const keyOf = (sync: Sync, size: number, threads: number) => `${sync}-${size}-${threads}`;

function sampleOf(result: BlockingResult, maxMs: number): Sample {
  return {
    pages: result.pages,
    lateRate: result.latePages / (maxMs / 4000),
    stood: result.ended === "stood-still",
    useless: result.uselessWakeUps,
    blockedS: result.blockedInsertS + result.blockedTakeS,
  };
}

function findings(
  { sizes, maxMs, repeats, isDense }: CollapseSettings,
  samples: ReadonlyMap<string, readonly Sample[]>,
): Findings {
  const rows = sizes.flatMap((size) =>
    SYNCS.flatMap((sync) =>
      threadCounts(size, isDense).map((threads) => {
        const found = samples.get(keyOf(sync, size, threads))!;
        const rate = spreadOf(found.map(({ lateRate }) => lateRate));
        const stood = found.filter((sample) => sample.stood).length;
        return {
          size,
          sync,
          threads,
          rate,
          stood,
          cells: [
            size,
            NAMES[sync],
            threads,
            rounded(threads / size, 2),
            reachable(sync, size, threads),
            repeats,
            stood,
            rounded(spreadOf(found.map(({ pages }) => pages)).mean, 1),
            rounded(rate.mean, 1),
            rounded(rate.deviation, 1),
            rounded(spreadOf(found.map(({ useless }) => useless)).mean, 1),
            rounded(spreadOf(found.map(({ blockedS }) => blockedS)).mean, 2),
          ],
        };
      }),
    ),
  );
  const plots = sizes.map((size) => ({
    name: `b${size}`,
    svg: linePlot({
      title: `Monitor, frontier size ${size}: pages per second against threads`,
      caption: `Last quarter of runs of ${maxMs} ms, mean and range of ${repeats}. With one condition the curve falls to zero beyond ${2 * size} threads, because every thread sleeps; with two it does not.`,
      x: { label: "threads (crawlers and one parser)" },
      y: { label: "pages per second" },
      series: SYNCS.map((sync) => ({
        name: NAMES[sync],
        points: rows
          .filter((row) => row.size === size && row.sync === sync)
          .map(({ threads, rate }) => ({
            x: threads,
            y: rate.mean,
            low: rate.low,
            high: rate.high,
          })),
      })),
    }),
  }));
  const one = rows.filter(({ sync }) => sync === "monitor-one-condition");
  const below = one.filter(({ size, threads }) => threads <= 2 * size);
  const above = one.filter(({ size, threads }) => threads > 2 * size);
  const count = (some: typeof rows) => some.reduce((sum, { stood }) => sum + stood, 0);
  const two = rows.filter(({ sync }) => sync === "monitor");
  const isClean = count(below) === 0 && count(two) === 0;
  const shown = sizes.filter((size) => above.some((row) => row.size === size && row.stood > 0));
  const holds = isClean && shown.length === sizes.length;
  const told = (some: typeof rows) => `${count(some)} of ${some.length * repeats} runs stood still`;
  return {
    setup: `${maxMs} ms per run, ${repeats} of each. T threads in all: T - 1 crawlers, which take, fetch and wait for a URL, and one parser, which inserts and waits for room. The web lists ${LEAVES} pages at a time and then the next list, ${LATENCY_MS} ms per answer, so links come in bursts while crawlers sleep. A run that stands still for 500 ms ends.`,
    tables: [
      {
        title: "Monitor with one condition against two",
        columns: [
          counted("frontier size"),
          counted("conditions"),
          counted("threads"),
          counted("threads / size"),
          counted("explorer"),
          counted("runs"),
          measured("stood still", "runs"),
          measured("pages per run"),
          measured("late pages", "pages/s"),
          measured("SD", "pages/s"),
          measured("useless wake-ups"),
          measured("blocked", "thread-s"),
        ],
        rows: rows.map(({ cells }) => cells),
      },
    ],
    plots,
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
      { what: "two conditions", paper: "not tried", ours: told(two), agrees: undefined },
    ],
    verdict: {
      claim: holds ? "agrees" : isClean && shown.length > 0 ? "partly" : "differs",
      why: `With one condition and signal-one, ${told(above)} beyond twice the size and ${told(below)} up to it; with two conditions ${told(two)}. A burst fills the frontier and puts the parser to sleep behind waiting crawlers: their signals then wake each other and never the parser. The document's drop is consistent with this deadlock, which the explorer finds reachable exactly from 2B + 1 threads on.`,
    },
  };
}

function firstStand(
  rows: readonly { size: number; threads: number; stood: number }[],
  size: number,
): string {
  const first = rows.find((row) => row.size === size && row.stood > 0);
  return first === undefined ? "none in these runs" : `${first.threads} threads`;
}
