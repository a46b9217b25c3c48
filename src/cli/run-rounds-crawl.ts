import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CrawlConfig } from "../config/schema.ts";
import { formatDuration } from "../config/values/durations.ts";
import { EXIT } from "../errors.ts";
import { type RoundsResult, RoundThreads, runRounds } from "../lab/rounds/rounds-crawl.ts";
import { writeVisitedList } from "../store/reports/visited-list.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { type Io, onSignals } from "./io.ts";
import { count } from "./print-summary.ts";

const ENDINGS: Readonly<Record<RoundsResult["ended"], string>> = {
  finished: "Finished: no link is left.",
  pages: "Stopped by --max-pages.",
  time: "Stopped by --max-time.",
  interrupted: "Interrupted.",
};

/** Crawls in rounds, in threads of the laboratory. Nothing is stored but its summary. */
export async function runRoundsCrawl(config: CrawlConfig, io: Io): Promise<number> {
  const { threads: count, linksPerThread, leftovers, roundWaitMs, out } = config;
  let interrupted = false;
  const forget = onSignals(() => {
    interrupted = true;
  });
  const threads = await RoundThreads.start(config);
  try {
    const result = await runRounds(threads, config.seeds as readonly CrawlUrl[], {
      maxLinks: linksPerThread,
      leftovers,
      maxWaitMs: roundWaitMs,
      maxPages: config.maxPages,
      maxDepth: config.maxDepth,
      maxMs: config.maxTimeMs,
      isInterrupted: () => interrupted,
      onVisited:
        out === undefined
          ? undefined
          : (pages) => writeVisitedList(join(out, "reports", "visited.jsonl"), pages),
    });
    const plan = { schedule: "rounds", threads: count, linksPerThread, leftovers, roundWaitMs };
    const json = JSON.stringify({ ...plan, ...result });
    if (out !== undefined) {
      mkdirSync(join(out, "reports"), { recursive: true });
      writeFileSync(join(out, "reports", "summary.json"), `${json}\n`);
    }
    if (config.json) io.stdout.write(`${json}\n`);
    else if (!config.quiet) io.stdout.write(textOf(result));
    if (result.ended === "interrupted") return EXIT.interrupted;
    if (result.ended !== "finished") return EXIT.limit;
    return result.pages === 0 ? EXIT.nothingFetched : EXIT.finished;
  } finally {
    forget();
    await threads.close();
  }
}

function textOf(result: RoundsResult): string {
  const { pages, seconds, waitMs, extractMs, setMs } = result;
  const ms = Math.max(1, waitMs + extractMs + setMs);
  const share = (part: number) => `${((100 * part) / ms).toFixed(1)} %`;
  const rows: [string, string][] = [
    ["pages", `${count(pages)} (${count(pages / Math.max(0.001, seconds))}/s)`],
    ["failed", count(result.failed)],
    ["rounds", count(result.rounds)],
    ["links", `${count(result.discovered)} discovered, ${count(result.dropped)} dropped`],
    ["time", formatDuration(Math.round(seconds * 1000))],
    ["spent", `${share(waitMs)} waiting, ${share(extractMs)} in links, ${share(setMs)} in the set`],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}  ${value}\n`);
  return `${ENDINGS[result.ended]}\n${lines.join("")}`;
}
