import { join } from "node:path";
import { checkSettings, configFrom } from "../../config/crawl-config.ts";
import { linePlot } from "../../stats/plot/line-plot.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { PROFILES, type WebProfile } from "../../web/profile.ts";
import type { RemoteWeb } from "../../web/web-process.ts";
import { counted, type Experiment, type Findings, type LabRun, measured } from "../experiment.ts";
import { labCrawl, webText, withWeb } from "../lab-web.ts";
import { DOCUMENT_SECONDS } from "../rounds/document-seconds.ts";
import {
  type LeftoverSettings,
  type Leftovers,
  leftoversTable,
  measureLeftovers,
} from "../rounds/leftovers.ts";
import {
  type RoundsResult,
  RoundThreads,
  runContinuous,
  runRounds,
} from "../rounds/rounds-crawl.ts";
import { type Breakdown, documentShares, stageShares } from "../rounds/stage-shares.ts";
import { rounded, spreadOf } from "../run-spread.ts";

/** How much is measured. */
export interface LinksSettings {
  readonly threads: readonly number[];
  readonly pages: readonly number[];
  readonly links: readonly number[];
  readonly repeats: number;
  readonly latencyMs: number;
  /** Section 4.3: ordinary crawls whose stages are timed. */
  readonly breakdown: {
    readonly threads: number;
    readonly links: number;
    readonly pages: readonly number[];
  };
  /** Rounds whose leftovers are kept or dropped, with each of these waits. */
  readonly rounds: LeftoverSettings;
}

const SCHEDULES = { rounds: runRounds, continuous: runContinuous } as const;
type Schedule = keyof typeof SCHEDULES;

interface Point {
  readonly threads: number;
  readonly pages: number;
  readonly links: number;
  readonly schedule: Schedule;
  readonly runs: readonly RoundsResult[];
}

const DOCUMENT_WAIT_MS = 30_000;
const ALL_LINKS = [1, 2, 4, 8, 16, 32, 64, 128];

/** Table 1 and figures 1 to 8 of document 003: threads, links per thread, pages. */
export const experiment: Experiment = {
  name: "links-per-thread",
  document: "003",
  question: "How long do N pages take with T threads and at most L links per thread at a time?",
  seconds: { quick: 42, normal: 250, full: 320 },
  run: (run) =>
    measureLinks(run, {
      // Quick: a quarter of the grid, 36 of 144 combinations.
      threads: run.pick([1, 4, 16], [1, 2, 4, 8, 16, 32], [1, 2, 4, 8, 16, 32]),
      pages: [100, 200, 500],
      links: run.pick([1, 4, 16, 64], ALL_LINKS, ALL_LINKS),
      repeats: run.repeats(3, 3, 3),
      latencyMs: run.pick(2, 10, 10),
      breakdown: { threads: 16, links: 16, pages: [100, 500] },
      // The document's wait, and one that the slowest answers miss.
      rounds: {
        ...{ threads: 4, links: 4, pages: 200 },
        maxWaitMs: [DOCUMENT_WAIT_MS, run.pick(12, 30, 30)],
      },
    }),
};

/** Crawls every combination in rounds and continuously. */
export async function measureLinks(run: LabRun, settings: LinksSettings): Promise<Findings> {
  const { threads, pages, links, repeats, latencyMs } = settings;
  const { breakdown, rounds } = settings;
  run.plan(
    threads.length * pages.length * links.length * 2 +
      breakdown.pages.length +
      2 * rounds.maxWaitMs.length,
  );
  const profile: WebProfile = {
    ...PROFILES.small,
    ...{ seed: run.seed, pages: 40_000, meanLinks: 70, crossHostShare: 0, errorRate: 0.02 },
    latencyMs: { median: latencyMs, spread: 0.5 },
  };
  return withWeb({ profile }, async (web) => {
    const points: Point[] = [];
    for (const count of threads) {
      const open = await startThreads(web, count, Math.max(...links));
      try {
        for (const maxLinks of links)
          for (const maxPages of pages)
            for (const schedule of ["rounds", "continuous"] as const) {
              const runs = await run.step(
                `${schedule}-${count}-${maxLinks}-${maxPages}`,
                async () => {
                  const found: RoundsResult[] = [];
                  const plan = {
                    maxLinks,
                    maxPages,
                    leftovers: "keep",
                    maxWaitMs: DOCUMENT_WAIT_MS,
                    maxDepth: 999,
                  } as const;
                  // The document ran rounds; of the other only what is drawn needs a spread.
                  const isDrawn = schedule === "rounds" || maxPages === pages.at(-1);
                  for (let n = 0; n < (isDrawn ? repeats : 1); n++)
                    found.push(await SCHEDULES[schedule](open, web.start as CrawlUrl[], plan));
                  return found;
                },
              );
              points.push({ threads: count, pages: maxPages, links: maxLinks, schedule, runs });
            }
      } finally {
        await open.close();
      }
    }
    const leftovers = await measureLeftovers(run, web, {
      ...rounds,
      repeats,
      start: () => startThreads(web, rounds.threads, rounds.links),
    });
    const crawls: Breakdown[] = [];
    for (const maxPages of breakdown.pages) {
      const key = `stages-${maxPages}`;
      const work = () => timedCrawl(web, join(run.scratch, key), settings, maxPages, run.signal);
      crawls.push(await run.step(key, work));
    }
    return findings(settings, webText(profile), points, crawls, leftovers);
  });
}

/** A crawl that stores its pages, with the threads and links of the document's profile. */
async function timedCrawl(
  web: RemoteWeb,
  out: string,
  { breakdown: { threads, links } }: LinksSettings,
  maxPages: number,
  signal: AbortSignal,
): Promise<Breakdown> {
  const limits = { threads, linksPerThread: links, perHost: threads * links, maxPages };
  const report = await labCrawl(web, out, { ...limits, robots: false }, signal);
  return { pages: report.pages, seconds: report.seconds, stages: report.stages };
}

function startThreads(web: RemoteWeb, threads: number, links: number): Promise<RoundThreads> {
  const settings = checkSettings({
    ...{ seeds: web.start, delayMs: 0, robots: false, threads, linksPerThread: Math.max(8, links) },
  });
  return RoundThreads.start(configFrom(settings, { typed: web.start }));
}

function findings(
  settings: LinksSettings,
  web: string,
  points: readonly Point[],
  crawls: readonly Breakdown[],
  leftovers: readonly Leftovers[],
): Findings {
  const { threads, pages, links, repeats, latencyMs, breakdown } = settings;
  const secondsOf = ({ runs }: Point) => spreadOf(runs.map(({ seconds }) => seconds));
  const meanOf = ({ runs }: Point, of: (run: RoundsResult) => number) =>
    spreadOf(runs.map(of)).mean;
  const at = (t: number, l: number, n: number, schedule: Schedule) =>
    points.find(
      (p) => p.threads === t && p.links === l && p.pages === n && p.schedule === schedule,
    )!;
  const n = pages.at(-1)!;
  const products = threads.flatMap((t) => links.map((l) => t * l));
  const inFlight = [...new Set(products)].sort((a, b) => a - b);
  const first = at(threads[0]!, links[0]!, n, "rounds");
  const last = at(threads.at(-1)!, links.at(-1)!, n, "rounds");
  const faster = rounded(secondsOf(first).mean / secondsOf(last).mean, 1);
  const rounds = points.filter(({ schedule }) => schedule === "rounds");
  const gain = spreadOf(
    rounds.map(
      (p) => secondsOf(p).mean / secondsOf(at(p.threads, p.links, p.pages, "continuous")).mean,
    ),
  );
  const slower =
    links.includes(2) && threads.includes(8)
      ? secondsOf(at(8, 2, n, "rounds")).mean > 1.1 * secondsOf(at(8, 1, n, "rounds")).mean
      : undefined;
  const most = at(threads.at(-1)!, links[Math.floor(links.length / 2)]!, n, "rounds");
  const threadsHelp = (l: number) => {
    const [one, many] = [threads[0]!, threads.at(-1)!].map(
      (t) => secondsOf(at(t, l, n, "rounds")).mean,
    );
    return `${threads.at(-1)} threads take ${rounded(many! / one!, 2)} times as long as ${threads[0]} for ${n} pages.`;
  };
  return {
    setup: `${web} One host, local links only, depth 1,000, leftovers kept, 30 s per round at most; ${repeats} runs each in rounds, and of ${n} pages continuously, one of the others. A round deals out min(pool / T, L) links to each thread and waits for all; continuous refills a thread as soon as one link has come. The document crawled Wikipedia over Wi-Fi, about ${rounded(78.8 / 100, 2)} s per page; here a page takes ${latencyMs} ms.`,
    tables: [
      {
        title: "Table 1: seconds by threads, pages and links per thread",
        columns: [
          ...[
            counted("schedule"),
            counted("threads"),
            counted("links visited"),
            counted("L", "links per thread"),
          ],
          ...[
            counted("crawled"),
            counted("error rate, the document's (N - crawled) / N"),
            measured("error rate, failed / attempted"),
            measured("mean", "s"),
            measured("SD", "s"),
          ],
          ...[measured("rounds"), measured("distinct links discovered"), counted("document", "s")],
        ],
        rows: points.map((p) => {
          const { mean, deviation } = secondsOf(p);
          const failed = meanOf(p, (run) => run.failed);
          const paper = DOCUMENT_SECONDS.find(
            ([l, t, count]) => l === p.links && t === p.threads && count === p.pages,
          );
          return [
            ...[
              p.schedule,
              p.threads,
              p.pages,
              p.links,
              Math.min(...p.runs.map((run) => run.pages)),
            ],
            rounded(1 - Math.min(...p.runs.map((run) => run.pages)) / p.pages, 3),
            ...[rounded(failed / (failed + p.pages), 3), rounded(mean, 3), rounded(deviation, 3)],
            ...[
              rounded(
                meanOf(p, (run) => run.rounds),
                1,
              ),
              rounded(
                meanOf(p, (run) => run.discovered),
                0,
              ),
            ],
            paper?.[3] ?? null,
          ];
        }),
      },
      {
        title: `Where the time of a crawl goes (4.3): ordinary crawls with ${breakdown.threads} x ${breakdown.links}, WARC stored, share of all visits' time; follow = links told from known ones (set)`,
        columns: [
          ...[counted("threads"), counted("links per thread"), counted("pages")],
          ...[
            measured("all", "s"),
            measured("network wait", "%"),
            measured("link extraction", "%"),
          ],
          ...[measured("set", "%"), measured("store", "%"), measured("commit", "%")],
        ],
        rows: crawls.map((crawl) => {
          const { networkWait, read, follow, store, commit } = stageShares(crawl);
          return [
            ...[breakdown.threads, breakdown.links, crawl.pages, rounded(crawl.seconds, 2)],
            ...[networkWait, read, follow, store, commit],
          ];
        }),
      },
      leftoversTable(leftovers, settings.rounds),
      {
        title: "The same for crawls in rounds, which store nothing: share of all threads' time",
        columns: [
          ...[
            counted("threads"),
            counted("links per thread"),
            counted("pages"),
            measured("network wait", "%"),
          ],
          ...[measured("link extraction", "%"), measured("set", "%")],
        ],
        rows: rounds
          .filter((p) => p.threads === most.threads && p.links === most.links)
          .map((p) => {
            const parts = ["waitMs", "extractMs", "setMs"] as const;
            const sums = parts.map((part) => meanOf(p, (run) => run[part]));
            const all = sums.reduce((a, b) => a + b, 0);
            return [p.threads, p.links, p.pages, ...sums.map((ms) => rounded((100 * ms) / all, 1))];
          }),
      },
    ],
    plots: [
      ...links.map((l) => ({
        name: `l${l}`,
        svg: linePlot({
          title: `${l} ${l === 1 ? "link" : "links"} per thread: seconds against threads`,
          caption: `In rounds, mean and range of ${repeats}. ${threadsHelp(l)}`,
          x: { label: "threads", log: true },
          y: { label: "time", unit: "s" },
          series: pages.map((count) => ({
            name: `${count} pages`,
            points: threads.map((t) => {
              const { mean, low, high } = secondsOf(at(t, l, count, "rounds"));
              return { x: t, y: mean, low, high };
            }),
          })),
        }),
      })),
      {
        name: "schedules",
        svg: linePlot({
          title: `Rounds against continuous: seconds for ${n} pages`,
          caption: `A round waits for its slowest page, a continuous schedule for none: rounds take ${rounded(gain.mean, 2)} times as long on average. Mean and range of all combinations of threads and links with so many in flight, ${repeats} runs of each.`,
          x: { label: "links in flight (threads x links per thread)", log: true },
          y: { label: "time", unit: "s", log: true },
          series: (["rounds", "continuous"] as const).map((schedule) => ({
            name: schedule,
            points: inFlight.map((x) => {
              const those = points.filter(
                (p) => p.schedule === schedule && p.pages === n && p.threads * p.links === x,
              );
              const { mean, low, high } = spreadOf(
                those.flatMap((p) => p.runs.map(({ seconds }) => seconds)),
              );
              return { x, y: mean, low, high };
            }),
          })),
        }),
      },
    ],
    paper: [
      {
        what: `${n} pages, most threads and links against fewest`,
        paper: "46.3 s against 462.8 s: 10 times faster",
        ours: `${faster} times faster`,
        agrees: faster > 2,
      },
      {
        what: "links discovered per page crawled",
        paper: "about 70",
        ours: String(
          rounded(
            meanOf(last, (run) => run.discovered / Math.max(1, run.pages)),
            0,
          ),
        ),
      },
      {
        what: "2 links per thread slower than 1",
        paper: "501.3 s against 129.5 s (T = 8)",
        ours:
          links.includes(2) && threads.includes(8)
            ? `${rounded(secondsOf(at(8, 2, n, "rounds")).mean)} s against ${rounded(secondsOf(at(8, 1, n, "rounds")).mean)} s`
            : "in the normal and full size",
      },
      ...documentShares(crawls),
    ],
    verdict: {
      claim: faster > 2 ? "agrees" : "differs",
      why: `Both more threads and more links per thread shorten a crawl that waits for a server (${faster} times at the end of the grid). It is their product that counts, and rounds ${gain.mean > 1 ? "lose against" : "do not lose against"} continuous refilling (${rounded(gain.mean, 2)} times as long on average), because each round waits for its slowest page. ${slower === undefined ? "Whether 2 links per thread are slower than 1, as in the document, is measured in the normal and full size" : slower ? "2 links per thread are slower than 1, as in the document" : "The document's slower crawls with 2 links per thread do not show here"}.`,
    },
  };
}
