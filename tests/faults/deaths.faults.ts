import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { Crawl } from "../../src/crawl/crawl.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { type Drill, Random, withFolder } from "./drill.ts";
import { readOnDisk } from "./on-disk.ts";

const THREADS = 2;
const WORKERS = ["crawler 0", "crawler 1", "builder 0"];
const MAX_UNCOMMITTED = 200;
const MAX_BACK_MS = 1000;

/**
 * Random deaths of workers in one long crawl. Nothing is compressed: Node (20.20) aborts the whole process when a thread
 * is ended from outside while it makes a zlib stream, which no fault of the thread's own does.
 */
export const drill: Drill = {
  name: "deaths",
  short: { count: 8, pages: 6000 },
  full: { count: 500, pages: 200_000 },
  async run({ count, pages, seed, tell }) {
    const random = new Random(seed);
    const problems: string[] = [];
    const web = await startWebProcess({
      profile: { ...PROFILES.small, pages, hosts: 20, encodings: false },
      latencyMs: 3,
    });
    try {
      return await withFolder(async (folder) => {
        const out = join(folder, "out");
        const settings = checkSettings({
          seeds: [...web.start],
          threads: THREADS,
          delayMs: 0,
          maxUncommitted: MAX_UNCOMMITTED,
          warcLevel: 0,
        });
        const crawl = new Crawl(configFrom(settings, { typed: web.start }), out);
        const back: number[] = [];
        const diedMs = new Map<string, number>();
        let deaths = 0;
        let isOver = false;
        crawl.events.on("workerReplaced", (name) => {
          const sinceMs = diedMs.get(name);
          diedMs.delete(name);
          if (sinceMs !== undefined) back.push(performance.now() - sinceMs);
        });
        const killer = async () => {
          let next = 0;
          while (deaths < count && !isOver) {
            await setTimeout(2);
            // Deaths without a page in between are a fault of another kind, after which a crawl gives up.
            if (crawl.progress().pages < next || isOver || diedMs.size > 1) continue;
            next = crawl.progress().pages + 1 + random.below(Math.ceil((1.5 * pages) / count));
            const name = WORKERS[random.below(WORKERS.length)]!;
            if (diedMs.has(name)) continue;
            diedMs.set(name, performance.now());
            if (await crawl.killWorker(name)) tell?.(++deaths);
          }
        };
        const [summary] = await Promise.all([
          crawl.run().finally(() => {
            isOver = true;
          }),
          killer(),
        ]);
        const { reachable } = await web.truth();
        const { repeated } = await web.report();
        const disk = readOnDisk(out);
        problems.push(...disk.problems);
        if (summary.ended !== "finished") problems.push(`the crawl ended: ${summary.ended}`);
        if (disk.pages !== reachable) problems.push(`${disk.pages} pages of ${reachable}`);
        if (deaths < count / 2) problems.push(`${deaths} deaths met the crawl, not ${count}`);
        if (repeated > deaths * MAX_UNCOMMITTED) problems.push(`${repeated} pages fetched again`);
        back.sort((a, b) => a - b);
        const slow = back.filter((ms) => ms > MAX_BACK_MS).length;
        const figures = {
          deaths,
          replaced: back.length,
          medianBackMs: Math.round(back[back.length >> 1] ?? 0),
          slowestBackMs: Math.round(back.at(-1) ?? 0),
          slowerThan1s: slow,
          refetched: repeated,
          lost: Math.max(0, reachable - disk.pages),
        };
        return { figures, problems };
      });
    } finally {
      await web.close();
    }
  },
};
