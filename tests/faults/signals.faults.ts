import {
  type Drill,
  MAX_PROBLEMS,
  nextArguments,
  Random,
  served,
  startCrawl,
  withCrawl,
} from "./drill.ts";
import { readOnDisk } from "./on-disk.ts";

const MAX_EXIT_MS = 10_000;
/** Few: a run spends most of its time on its start and its end, and signals are to come there, too. */
const PAGES_PER_SIGNAL = 250;
const MIN_SIGNALS_PER_CRAWL = 15;

/** SIGINT and SIGTERM at random instants: a clean stop each time, and nothing fetched again. */
export const drill: Drill = {
  name: "signals",
  short: { count: 4, pages: 3000 },
  full: { count: 200, pages: 10_000 },
  async run({ count, pages, seed, onFault }) {
    const random = new Random(seed);
    const signalsPerCrawl = Math.max(MIN_SIGNALS_PER_CRAWL, Math.round(pages / PAGES_PER_SIGNAL));
    const problems: string[] = [];
    const exits: number[] = [];
    const figures = {
      signals: 0,
      crawls: 0,
      medianExitMs: 0,
      slowestExitMs: 0,
      refetched: 0,
      lost: 0,
    };
    while (figures.signals < count && problems.length < MAX_PROBLEMS) {
      await withCrawl({ pages, hosts: 20 }, 5, async (web, out) => {
        let signals = 0;
        for (;;) {
          const crawl = startCrawl(nextArguments(web.start, out));
          const signal = random.below(2) === 0 ? "SIGINT" : "SIGTERM";
          let sentMs = 0;
          if (signals < signalsPerCrawl && figures.signals < count) {
            const step = 1 + random.below(Math.ceil((2 * pages) / signalsPerCrawl));
            await served(web, (await web.report()).pages + step, crawl);
            sentMs = performance.now();
            crawl.child.kill(signal);
          }
          const { code, stderr } = await crawl.ended;
          if (code === 0) break;
          // Killed before it could handle signals, so before it requested anything.
          if (code === null) continue;
          if (code !== (signal === "SIGINT" ? 130 : 143) || sentMs === 0) {
            problems.push(`exit code ${code} after ${signal}: ${stderr.slice(-500)}`);
            break;
          }
          signals++;
          figures.signals++;
          onFault?.(figures.signals);
          const tookMs = Math.round(performance.now() - sentMs);
          exits.push(tookMs);
          if (tookMs > MAX_EXIT_MS) problems.push(`${signal}: ${tookMs} ms to the exit`);
        }
        const { reachable } = await web.truth();
        const { repeated } = await web.report();
        const disk = readOnDisk(out);
        figures.crawls++;
        figures.refetched += repeated;
        figures.lost += Math.max(0, reachable - disk.pages);
        problems.push(...disk.problems);
        if (repeated > 0) problems.push(`${repeated} pages fetched again after clean stops`);
        if (disk.pages !== reachable) problems.push(`${disk.pages} pages of ${reachable}`);
        if (signals === 0) problems.push("no signal met a running crawl");
      });
    }
    exits.sort((a, b) => a - b);
    figures.medianExitMs = exits[exits.length >> 1] ?? 0;
    figures.slowestExitMs = exits.at(-1) ?? 0;
    return { figures, problems };
  },
};
