import { join } from "node:path";
import { configOf, type ProgramSettings } from "../../config/crawl-config.ts";
import { Crawl } from "../../crawl/crawl.ts";
import { linePlot } from "../../stats/plot/line-plot.ts";
import { timelinePlot } from "../../stats/plot/timeline-plot.ts";
import { readSeries } from "../../stats/series-file.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { PROFILES, type WebProfile } from "../../web/profile.ts";
import type { RemoteWeb } from "../../web/web-process.ts";
import { type BlockingResult, runBlocking } from "../blocking/blocking-crawl.ts";
import type { BlockingPlan } from "../blocking/blocking-plan.ts";
import { Laboratory } from "../blocking/laboratory.ts";
import { ACTIVITY } from "../blocking/thread-counts.ts";
import { counted, type Experiment, type Findings, type LabRun, measured } from "../experiment.ts";
import { webText, withWeb } from "../lab-web.ts";
import { rounded, type Spread, spreadOf } from "../run-spread.ts";

/** How much is measured. */
export interface BufferSettings {
  /** The document's 2, 6 and 10 hours are 1, 3 and 5 of these. */
  readonly unitMs: number;
  readonly buffers: readonly { readonly builders: number; readonly crawlers: number }[];
  readonly bufferSizes: readonly number[];
  /** What buffer sizes are tried with; the second of `buffers` unless told. */
  readonly sized?: { readonly builders: number; readonly crawlers: number } | undefined;
  readonly pages: number;
  readonly repeats: number;
}

/** One crawl: pages in the tree after 1, 3 and 5 units. */
interface Growth {
  readonly stored: readonly number[];
  /** What `reports/series.jsonl` of the crawl says in between: a point per second, from the first page on. */
  readonly series: readonly { readonly seconds: number; readonly pages: number }[];
}

/** Crawls with the same number of buffers, crawlers and records in a buffer. */
interface Grown {
  readonly builders: number;
  readonly crawlers: number;
  readonly bufferSize: number;
  readonly runs: readonly Growth[];
}

const DOCUMENT: Readonly<Record<number, readonly number[]>> = {
  1: [925, 9714, 16_933],
  3: [26_927, 68_956, 101_900],
  6: [51_238, 100_847, 171_341],
};
const UNITS = [1, 3, 5];
/** Less than this is no growth: two crawls of the same kind differ by more. */
const MIN_GAIN = 1.05;
const KINDS: readonly (readonly [string, number])[] = [
  ["waits for the server", ACTIVITY.fetching],
  ["writes to disk", ACTIVITY.storing],
  ["waits for a URL or a page", ACTIVITY.taking],
  ["waits for room in the frontier", ACTIVITY.inserting],
];

/** What a thread is at, as `KINDS` has it: a builder without a page waits for one. */
const kindOf = (activity: number) => (activity === ACTIVITY.idle ? ACTIVITY.taking : activity);

/** Figures 7, 8 and 9 of document 001: how the tree grows with more buffers, and who writes to it. */
export const experiment: Experiment = {
  name: "buffers",
  document: "001",
  question: "How many new URLs reach the tree in a given time with 1, 3 and 6 buffers?",
  seconds: { quick: 24, normal: 120, full: 210 },
  run: (run) =>
    measureBuffers(run, {
      unitMs: run.pick(200, 2000, 4000),
      buffers: [
        { builders: 1, crawlers: 1 },
        { builders: 3, crawlers: 6 },
        { builders: 6, crawlers: 12 },
      ],
      bufferSizes: [1, 10, 100, 1000],
      sized: run.pick({ builders: 1, crawlers: 2 }, undefined, undefined),
      pages: run.pick(10_000, 40_000, 100_000),
      repeats: run.repeats(2, 2, 2),
    }),
};

/** Crawls into a tree with each number of buffers and each buffer size, then compares who writes. */
export async function measureBuffers(run: LabRun, settings: BufferSettings): Promise<Findings> {
  const { unitMs, buffers, bufferSizes, pages, repeats } = settings;
  run.plan(repeats * (buffers.length + bufferSizes.length) + 2);
  const profile: WebProfile = {
    ...PROFILES.small,
    ...{ seed: run.seed, pages, hosts: 16, latencyMs: { median: 20, spread: 0.3 } },
  };
  return withWeb({ profile }, async (web) => {
    const grow = async (
      builders: number,
      crawlers: number,
      bufferSize: number,
      units: readonly number[],
    ): Promise<Grown> => {
      const plan = { builders, crawlers, bufferSize };
      const atMs = units.map((n) => n * unitMs);
      const runs: Growth[] = [];
      for (let n = 0; n < repeats; n++) {
        const key = `tree-${builders}-${crawlers}-${bufferSize}-for-${units.at(-1)}-${n}`;
        runs.push(await run.step(key, () => growth(web, join(run.scratch, key), plan, atMs)));
      }
      return { ...plan, runs };
    };
    const byBuffers: Grown[] = [];
    for (const { builders, crawlers } of buffers)
      byBuffers.push(await grow(builders, crawlers, 1000, UNITS));
    const bySize: Grown[] = [];
    const middle = settings.sized ?? buffers[Math.min(1, buffers.length - 1)]!;
    for (const bufferSize of bufferSizes)
      bySize.push(await grow(middle.builders, middle.crawlers, bufferSize, [2]));
    const writers: [string, BlockingResult][] = [];
    for (const parser of [true, false]) {
      const name = parser ? "a builder writes" : "crawlers write";
      writers.push([
        name,
        await run.step(`writer-${parser}`, () => timeline(web, run, parser, unitMs)),
      ]);
    }
    return findings(settings, webText(profile), byBuffers, bySize, writers);
  });
}

async function growth(
  web: RemoteWeb,
  out: string,
  plan: { builders: number; crawlers: number; bufferSize: number },
  atMs: readonly number[],
): Promise<Growth> {
  const config = configOf({
    ...{ seeds: web.start, scope: "any", delayMs: 0, quiet: true, robots: false, out },
    ...{ allowPrivate: ["127.0.0.0/8"], store: "tree", linksPerThread: 1 },
    // A page counts when it is committed: often enough to be seen within the shortest time.
    ...{ syncEveryMs: Math.min(1000, Math.max(20, Math.round(Math.min(...atMs) / 5))) },
    ...{ threads: plan.crawlers, builders: plan.builders, bufferSize: plan.bufferSize },
  } as unknown as ProgramSettings);
  const crawl = new Crawl(config, out);
  const ended = crawl.run();
  const stored: number[] = [];
  // Time counts from the first page, because starting threads takes longer than a unit of --quick.
  while (crawl.progress().pages === 0) await Promise.race([pause(5), ended]);
  const startMs = performance.now();
  for (const ms of atMs) {
    await Promise.race([pause(startMs + ms - performance.now()), ended]);
    stored.push(crawl.progress().pages);
  }
  const lastSeconds = (performance.now() - startMs) / 1000;
  const startSeconds = crawl.figures().runSeconds - lastSeconds;
  crawl.stop("interrupted");
  await ended;
  const series = readSeries(crawlPaths(out).series)
    .map(({ runSeconds, pages }) => ({ seconds: rounded(runSeconds - startSeconds, 3), pages }))
    .filter(({ seconds }) => seconds > 0 && seconds < lastSeconds);
  return { stored, series };
}

/** Four threads of the laboratory: three crawlers and a builder, or four crawlers that write themselves. */
async function timeline(
  web: RemoteWeb,
  run: LabRun,
  parser: boolean,
  unitMs: number,
): Promise<BlockingResult> {
  const lab = await Laboratory.openFor(web.start, 16);
  try {
    const plan: BlockingPlan = {
      sync: "monitor",
      size: 1000,
      whenFull: parser ? "wait" : "spill",
      visited: "cas",
      crawlers: parser ? 3 : 4,
      parser,
      traced: true,
      tree: join(run.scratch, `tree-by-${parser ? "builder" : "crawlers"}`),
    };
    return await runBlocking(lab, plan, web.start as CrawlUrl[], { maxMs: unitMs });
  } finally {
    await lab.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

/** Pages in the tree at a time, between the two moments around it that are known of the run. */
function pagesAt({ stored, series }: Growth, seconds: number, unitMs: number): number {
  const known = [
    { seconds: 0, pages: 0 },
    ...series,
    ...stored.map((pages, i) => ({ seconds: (UNITS[i]! * unitMs) / 1000, pages })),
  ].sort((a, b) => a.seconds - b.seconds);
  const at = Math.max(
    1,
    known.findIndex((each) => each.seconds >= seconds),
  );
  const [before, after] = [known[at - 1]!, known[at]!];
  const share = (seconds - before.seconds) / Math.max(1e-3, after.seconds - before.seconds);
  return before.pages + share * (after.pages - before.pages);
}

function findings(
  { unitMs, bufferSizes, repeats }: BufferSettings,
  web: string,
  byBuffers: readonly Grown[],
  bySize: readonly Grown[],
  writers: readonly (readonly [string, BlockingResult])[],
): Findings {
  const [one] = byBuffers;
  const storedAt = ({ runs }: Grown, i: number) =>
    spreadOf(runs.map(({ stored }) => stored.at(i)!));
  const last = (of: Grown) => storedAt(of, -1).mean;
  const gain = (of: Grown) => rounded(last(of) / Math.max(1, last(one!)), 1);
  const point = (x: number, { mean, low, high }: Spread) => ({ x, y: mean, low, high });
  const unitSeconds = UNITS.map((n) => (n * unitMs) / 1000);
  // Every second, as far as the series goes, and the document's three moments.
  const whole = Array.from({ length: Math.ceil(unitSeconds.at(-1)!) }, (_, i) => i);
  const moments = [...new Set([...whole, ...unitSeconds])].sort((a, b) => a - b);
  const share = ({ traces = [] }: BlockingResult, activity: number) => {
    const all = traces.flat();
    const sum = (spans: typeof all) =>
      spans.reduce((ms, { fromMs, toMs }) => ms + toMs - fromMs, 0);
    return rounded(
      (100 * sum(all.filter((span) => kindOf(span.activity) === activity))) / Math.max(1, sum(all)),
      1,
    );
  };
  const proportion = (each: Grown) => gain(each) / each.crawlers;
  const isLess = byBuffers.slice(1).every((each) => proportion(each) < 0.95);
  const grows = byBuffers.every(
    (each, i) => i === 0 || last(each) > MIN_GAIN * last(byBuffers[i - 1]!),
  );
  const isAsMuch = (each: Grown) => gain(each) > each.crawlers / 2;
  const isAllAsMuch = byBuffers.slice(1).every(isAsMuch);
  return {
    setup: `${web} Crawls with --store tree, buffer size 1,000, one request in flight per crawler, two crawlers and one builder per buffer (one crawler for one buffer). The document's 2, 6 and 10 hours are ${unitSeconds.map((seconds) => `${seconds} s`).join(", ")} from the first page on; ${repeats} crawls of each.`,
    tables: [
      {
        title: "New URLs in the tree (figures 7 and 8)",
        columns: [
          ...[counted("buffers"), counted("crawlers"), counted("threads in all")],
          ...unitSeconds.map((seconds) => measured(`after ${seconds} s`, "URLs")),
          ...[
            measured("SD at the end", "URLs"),
            counted("runs"),
            measured("speed-up"),
            measured("speed-up per crawler"),
            ...["2", "6", "10"].map((hours) => counted(`document, after ${hours} h`, "URLs")),
          ],
        ],
        rows: byBuffers.map((each) => [
          ...[each.builders, each.crawlers, each.builders + each.crawlers + 2],
          ...UNITS.map((_, i) => rounded(storedAt(each, i).mean, 1)),
          ...[
            rounded(storedAt(each, -1).deviation, 1),
            repeats,
            gain(each),
            rounded(gain(each) / each.crawlers, 2),
            ...UNITS.map((_, i) => DOCUMENT[each.builders]?.[i] ?? null),
          ],
        ]),
      },
      {
        title: "Buffer sizes",
        columns: [
          counted("buffer size"),
          counted("buffers"),
          measured(`after ${(2 * unitMs) / 1000} s`, "URLs"),
          measured("SD", "URLs"),
          counted("runs"),
        ],
        rows: bySize.map((each) => [
          ...[each.bufferSize, each.builders, rounded(last(each), 1)],
          ...[rounded(storedAt(each, -1).deviation, 1), repeats],
        ]),
      },
      {
        title: "Who writes (figure 9), four laboratory threads",
        columns: [
          ...[counted("who writes"), measured("pages"), measured("waiting for servers", "%")],
          ...[measured("writing", "%"), measured("waiting for URLs or pages", "%")],
          measured("waiting for room in the frontier", "%"),
        ],
        rows: writers.map(([name, result]) => [
          ...[
            name,
            result.pages,
            share(result, ACTIVITY.fetching),
            share(result, ACTIVITY.storing),
          ],
          share(result, ACTIVITY.taking),
          share(result, ACTIVITY.inserting),
        ]),
      },
    ],
    plots: [
      {
        name: "growth",
        svg: linePlot({
          title: "New URLs in the tree against time",
          caption: `${grows ? "More buffers, and with them more crawlers, fill the tree faster" : "More buffers do not always fill the tree faster here"}${grows && isLess ? ", but less than in proportion to the crawlers" : ""}. Mean and range of ${repeats}; what lies between the document's three moments comes from each crawl's reports/series.jsonl, a line per second.`,
          x: { label: "time", unit: "s" },
          y: { label: "new URLs in the tree" },
          series: byBuffers.map((each) => ({
            name: `${each.builders} ${each.builders === 1 ? "buffer" : "buffers"}, ${each.crawlers} ${each.crawlers === 1 ? "crawler" : "crawlers"}`,
            points: moments.map((seconds) =>
              point(seconds, spreadOf(each.runs.map((run) => pagesAt(run, seconds, unitMs)))),
            ),
          })),
        }),
      },
      {
        name: "sizes",
        svg: linePlot({
          title: "New URLs in the tree against buffer size",
          caption: `The largest buffer stored ${rounded(last(bySize.at(-1)!) / Math.max(1, last(bySize[0]!)), 2)} times what the smallest did${last(bySize.at(-1)!) > 1.1 * last(bySize[0]!) ? ": a buffer of 1 is handed over for every page" : ": while servers are waited for, handing over every page costs nothing that shows"}. Mean and range of ${repeats}.`,
          x: { label: "buffer size", unit: "records", log: true },
          y: { label: "new URLs in the tree" },
          series: [
            {
              name: `after ${(2 * unitMs) / 1000} s`,
              points: bySize.map((each) => point(each.bufferSize, storedAt(each, -1))),
            },
          ],
        }),
      },
      ...writers.map(([name, result], i) => ({
        name: i === 0 ? "builder" : "self",
        svg: timelinePlot({
          title: `Figure 9: ${name}`,
          caption:
            i === 0
              ? `Crawlers wait for servers nearly all the time; the builder writes meanwhile${share(result, ACTIVITY.inserting) < 1 ? "" : ", and waits where the frontier has no room for its links"}.`
              : "Each crawler stops asking servers while it writes.",
          x: { label: "time", unit: "ms" },
          kinds: KINDS.map(([kind]) => kind),
          rows: (result.traces ?? []).map((spans, thread) => ({
            name: i === 0 && thread === 3 ? "builder" : `crawler ${thread + 1}`,
            spans: spans.flatMap(({ activity, fromMs, toMs }) => {
              const kind = KINDS.find(([, of]) => of === kindOf(activity));
              return kind === undefined ? [] : [{ kind: kind[0], from: fromMs, to: toMs }];
            }),
          })),
        }),
      })),
    ],
    paper: [
      ...byBuffers.slice(1).map((each) => ({
        what: `${each.builders} buffers against 1, at the end`,
        paper: `${rounded((DOCUMENT[each.builders]?.[2] ?? 0) / DOCUMENT[1]![2]!, 1)} times (${each.crawlers} expected)`,
        ours: `${gain(each)} times`,
        agrees: isAsMuch(each),
      })),
      { what: "buffer size", paper: "1,000", ours: `${bufferSizes.join(", ")}: see the table` },
    ],
    verdict: {
      claim: grows && isAllAsMuch ? "agrees" : "partly",
      why: `${grows ? `More buffers fill the tree faster, ${isAllAsMuch ? "as in the document" : "but some gain less than half of what their crawlers could"}` : "More buffers do not always fill the tree faster here"}: ${byBuffers
        .slice(1)
        .map((each) => `${gain(each)} times with ${each.builders}`)
        .join(
          ", ",
        )}. The gain comes from crawlers that wait for servers at the same time, not from the buffers; on few cores it ends when they are busy.`,
    },
  };
}
