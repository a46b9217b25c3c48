import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configOf, type ProgramSettings } from "../config/crawl-config.ts";
import { Crawl } from "../crawl/crawl.ts";
import type { CrawlReport } from "../crawl/crawl-summary.ts";
import { limitingFactor } from "../stats/limiting-factor.ts";
import { readSeries } from "../stats/series-file.ts";
import { crawlPaths } from "../store/folder/crawl-folder.ts";
import type { WebProfile } from "../web/profile.ts";
import type { WebOptions } from "../web/server.ts";
import { type RemoteWeb, startWebProcess } from "../web/web-process.ts";

/** What every result prints about the web it was measured on. */
export function webText(profile: WebProfile): string {
  const { hosts, pages, meanLinks, crossHostShare, minBytes, maxBytes, latencyMs, errorRate } =
    profile;
  const latency =
    latencyMs === 0 || latencyMs.median === 0
      ? "no latency"
      : `latency log-normal with median ${latencyMs.median} ms and spread ${latencyMs.spread}`;
  const share = (part: number) => `${Math.round(1000 * part) / 10} %`;
  return (
    `Synthetic web on loopback: ${hosts} ${hosts === 1 ? "host" : "hosts"}, ${pages} pages of ${minBytes} to ${maxBytes} bytes ` +
    `with ${meanLinks} links on average, ${share(crossHostShare)} of them to other hosts; ${latency}; ${share(errorRate)} of the pages fail.`
  );
}

/** Starts a web in a process of its own, and ends it whatever happens. */
export async function withWeb<T>(
  options: Omit<WebOptions, "now">,
  work: (web: RemoteWeb) => Promise<T>,
): Promise<T> {
  const web = await startWebProcess(options);
  try {
    return await work(web);
  } finally {
    await web.close();
  }
}

const SAMPLE_MS = 20;
/** A rate is that of at least so many pages, also if a busy machine needs longer for them, though not for ever. */
const MIN_PAGES = 10;
const PATIENCE = 10;

/**
 * Pages per second that a web answered while `work` went on, from the first page to the last: neither starting threads
 * nor closing files counts, which matters for runs of a second. With a limit the time of the run begins with the first page.
 */
export async function answeredRate<T>(
  web: RemoteWeb,
  work: () => Promise<T>,
  limit?: { readonly maxMs: number; readonly stop: () => void },
): Promise<{ readonly result: T; readonly rate: number; readonly pages: number }> {
  let isOver = false;
  // The same web may have served an earlier crawl, and the same pages.
  const before = (await web.report()).answers;
  let first: { ms: number; answers: number } | undefined;
  let last = { ms: 0, answers: before };
  const sample = async () => {
    const { answers } = await web.report();
    const ms = performance.now();
    const pastMs = first === undefined ? 0 : ms - first.ms;
    if (limit !== undefined && pastMs >= limit.maxMs)
      if (answers - before >= MIN_PAGES || pastMs >= PATIENCE * limit.maxMs) limit.stop();
    if (answers === last.answers) return;
    first ??= { ms, answers };
    last = { ms, answers };
  };
  const sampling = (async () => {
    while (!isOver) {
      await sample();
      await sleep(SAMPLE_MS);
    }
    await sample();
  })();
  let result: T;
  try {
    result = await work();
  } finally {
    isOver = true;
    await sampling;
  }
  const seconds = (last.ms - (first?.ms ?? last.ms)) / 1000;
  const rate = seconds === 0 ? 0 : (last.answers - first!.answers) / seconds;
  return { result, rate, pages: last.answers - before };
}

/** The rate of a crawl that goes on for so long after its first page: starting threads may take longer than a run. */
export function timedRate(
  web: RemoteWeb,
  out: string,
  settings: LabSettings,
  { maxMs, signal }: { readonly maxMs: number; readonly signal: AbortSignal },
) {
  const over = new AbortController();
  const crawl = () => labCrawl(web, out, settings, AbortSignal.any([signal, over.signal]));
  return answeredRate(web, crawl, { maxMs, stop: () => over.abort() });
}

/** Settings of a crawl in the laboratory; what is left out is as `labCrawl` has it. */
export type LabSettings = Omit<ProgramSettings, "out" | "seeds"> & { seeds?: readonly string[] };

/** Crawls a web of this machine without delay, into a folder that must not exist; returns what reports/summary.json says. */
export async function labCrawl(
  web: RemoteWeb,
  out: string,
  settings: LabSettings,
  signal?: AbortSignal,
): Promise<CrawlReport> {
  const config = configOf({
    seeds: web.start,
    scope: "any",
    delayMs: 0,
    quiet: true,
    allowPrivate: ["127.0.0.0/8"],
    ...settings,
    out,
  } as ProgramSettings);
  const crawl = new Crawl(config, out);
  const stop = () => crawl.stop("interrupted");
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await crawl.run();
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  return JSON.parse(readFileSync(join(crawlPaths(out).reports, "summary.json"), "utf8"));
}

/** What limited a crawl for most of its seconds, by its series; null when it was too short to tell. */
export function mostLimiting(out: string): string | null {
  const lines = readSeries(crawlPaths(out).series).filter(({ state }) => state === "running");
  const counts = new Map<string, number>();
  // The first line of a run is of its first instant.
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue;
    const { factor } = limitingFactor(line, lines[i - 1], availableParallelism());
    counts.set(factor, (counts.get(factor) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
