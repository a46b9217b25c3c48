import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CrawlConfig } from "../config/schema.ts";
import { formatDuration } from "../config/values/durations.ts";
import { isOwnSync } from "../config/values/technique-names.ts";
import { EXIT } from "../errors.ts";
import {
  type BlockingEnd,
  type BlockingResult,
  runBlocking,
  STANDS_MS,
} from "../lab/blocking/blocking-crawl.ts";
import type { BlockingPlan } from "../lab/blocking/blocking-plan.ts";
import { Laboratory } from "../lab/blocking/laboratory.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { checkOwnLock } from "../verify/own/watch-own-lock.ts";
import { type Io, onSignals } from "./io.ts";
import { count, counted } from "./print-summary.ts";

const ENDINGS: Readonly<Record<BlockingEnd | "interrupted", string>> = {
  finished: "Finished: no URL is left.",
  time: "Stopped by --max-time.",
  pages: "Stopped by --max-pages.",
  "stood-still": `Stood still: no thread did anything for ${STANDS_MS} ms, each waits for another.`,
  interrupted: "Interrupted.",
};

/** Runs a crawl on a shared frontier that blocks, in laboratory threads. Nothing is stored but its summary. */
export async function runBlockingCrawl(config: CrawlConfig, io: Io): Promise<number> {
  const { threads, sync, whenFull, frontierSize, visited, out } = config;
  const plan: BlockingPlan = {
    sync: isOwnSync(sync) ? { module: resolve(sync) } : sync,
    size: frontierSize,
    whenFull,
    crawlers: threads,
    parser: false,
    visited,
    maxPages: config.maxPages,
    maxDepth: config.maxDepth,
  };
  if (typeof plan.sync !== "string") await checkOwnLock(plan.sync.module);
  let interrupted = false;
  const forget = onSignals(() => {
    interrupted = true;
  });
  const lab = await Laboratory.open({ ...config, linksPerThread: Math.max(threads, 64) });
  try {
    const maxMs = config.maxTimeMs ?? Number.POSITIVE_INFINITY;
    const seeds = config.seeds as readonly CrawlUrl[];
    const limits = { maxMs, isInterrupted: () => interrupted };
    const result = await runBlocking(lab, plan, seeds, limits);
    const ended = interrupted ? "interrupted" : result.ended;
    const summary = { sync, whenFull, frontierSize, threads, visited, ...result, ended };
    const json = JSON.stringify(summary);
    if (out !== undefined) {
      mkdirSync(join(out, "reports"), { recursive: true });
      writeFileSync(join(out, "reports", "summary.json"), `${json}\n`);
    }
    if (config.json) io.stdout.write(`${json}\n`);
    else if (!config.quiet) io.stdout.write(textOf(result, `${ENDINGS[ended]}\n`));
    if (ended === "interrupted") return EXIT.interrupted;
    if (ended !== "finished") return EXIT.limit;
    return result.pages === 0 ? EXIT.nothingFetched : EXIT.finished;
  } finally {
    forget();
    await lab.close();
  }
}

function textOf(result: BlockingResult, ending: string): string {
  const { pages, seconds, waitingToTake, waitingToInsert } = result;
  const rows: [string, string][] = [
    ["pages", `${count(pages)} (${count(pages / Math.max(0.001, seconds))}/s)`],
    ["failed", count(result.failed)],
    ["URLs known", `${count(result.known)}, ${count(result.inserts)} inserted`],
    ["at the end", `${waitingToTake} waited for a URL, ${waitingToInsert} for room`],
    [
      "blocked",
      `${seconds3(result.blockedTakeS)} in takes, ${seconds3(result.blockedInsertS)} in inserts`,
    ],
    ["wake-ups", `${count(result.wakeUps)}, ${count(result.uselessWakeUps)} of them useless`],
    ["aborts", `${count(result.aborts)}, ${counted(result.restarts, "restart")}`],
    ["fairness", result.fairness.toFixed(3)],
    ["twice", `${counted(result.fetchedTwice, "page")} fetched twice`],
    ["lost", `${counted(result.lost, "URL")}, ${count(result.overwritten)} overwritten`],
    ["to a URL", `${count(result.pickMedianUs)} us median, ${count(result.pickP99Us)} us p99`],
    [
      "time",
      `${formatDuration(Math.round(seconds * 1000))}, ${result.cpuSeconds.toFixed(1)} s of CPU`,
    ],
  ];
  return ending + rows.map(([name, value]) => `  ${name.padEnd(10)}  ${value}\n`).join("");
}

function seconds3(value: number): string {
  return `${value.toFixed(3)} s`;
}
