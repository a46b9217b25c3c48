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
const MANY = 100;
/** So many deaths need a long crawl, which comes of politeness: 20 hosts allow some 190 pages a second. */
const LONG_DELAY_MS = 100;
/** One in so many strikes while another one is being replaced; it waits for that, so its leases are back later. */
const BOTH = 10;
/** From one death to the next at most this many times the pages that are left for each: half of that on average. */
const STEP = 1.5;

/**
 * Random deaths of workers in one long crawl. Nothing is compressed: Node (20.20) aborts the whole process when a thread
 * is ended from outside while it makes a zlib stream, which no fault of the thread's own does.
 */
export const drill: Drill = {
  name: "deaths",
  short: { count: 8, pages: 6000 },
  full: { count: 500, pages: 80_000 },
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
          delayMs: count >= MANY ? LONG_DELAY_MS : 0,
          maxUncommitted: MAX_UNCOMMITTED,
          warcLevel: 0,
        });
        const crawl = new Crawl(configFrom(settings, { typed: web.start }), out);
        const { reachable } = await web.truth();
        const back: number[] = [];
        const dying = new Set<string>();
        let deaths = 0;
        let isOver = false;
        let slow = 0;
        let slowAlone = 0;
        let wasAlone = true;
        crawl.events.on("workerReplaced", (name, _, backMs) => {
          back.push(backMs);
          if (backMs > MAX_BACK_MS) {
            slow++;
            if (wasAlone) slowAlone++;
          }
          dying.delete(name);
          // A crawler that dies while its builder is replaced is replaced with it, without a word of its own.
          if (name.startsWith("builder")) dying.clear();
        });
        const killer = async () => {
          let next = 1;
          let mayDie = 1;
          while (deaths < count && !isOver) {
            await setTimeout(2);
            const { pages: done } = crawl.progress();
            // Deaths without a page in between are a fault of another kind, after which a crawl gives up.
            if (done < next || isOver || dying.size >= mayDie) continue;
            const name = WORKERS[random.below(WORKERS.length)]!;
            if (dying.has(name)) continue;
            mayDie = random.below(BOTH) === 0 ? 2 : 1;
            wasAlone = dying.size === 0 && mayDie === 1;
            dying.add(name);
            if (await crawl.killWorker(name)) tell?.(++deaths);
            else dying.delete(name);
            // Spread over the pages that are left, whatever went on meanwhile: all of them meet this crawl.
            const step = (STEP * (reachable - done)) / (count - deaths + 1);
            next = done + 1 + random.below(Math.max(1, Math.floor(step)));
          }
        };
        const [summary] = await Promise.all([
          crawl.run().finally(() => {
            isOver = true;
          }),
          killer(),
        ]);
        const { repeated } = await web.report();
        const disk = readOnDisk(out);
        problems.push(...disk.problems);
        if (summary.ended !== "finished") problems.push(`the crawl ended: ${summary.ended}`);
        if (disk.pages !== reachable) problems.push(`${disk.pages} pages of ${reachable}`);
        if (deaths < count) problems.push(`${deaths} deaths met the crawl, not ${count}`);
        if (repeated > deaths * MAX_UNCOMMITTED) problems.push(`${repeated} pages fetched again`);
        back.sort((a, b) => a - b);
        // A short run is for machines of any speed.
        if (count >= MANY && slowAlone > 0) {
          problems.push(`leases of ${slowAlone} that died alone were back after 1 s`);
        }
        const figures = {
          deaths,
          replaced: back.length,
          medianBackMs: Math.round(back[back.length >> 1] ?? 0),
          slowestBackMs: Math.round(back.at(-1) ?? 0),
          slowerThan1s: slow,
          ofThemAlone: slowAlone,
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
