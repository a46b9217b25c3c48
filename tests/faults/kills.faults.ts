import { existsSync } from "node:fs";
import { EXIT } from "../../src/errors.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import {
  type Drill,
  MAX_PROBLEMS,
  nextArguments,
  pause,
  Random,
  served,
  startCrawl,
  withCrawl,
} from "./drill.ts";
import { readOnDisk } from "./on-disk.ts";

/** `--max-uncommitted` of the drill, and the requests in flight beside it. */
const MAX_UNCOMMITTED = 200;
/** A kill every so many pages, and at least so many per crawl, so that it is killed early and late. */
const PAGES_PER_KILL = 500;
const MIN_KILLS_PER_CRAWL = 12;
/** `--max-pages`, as a part of all pages. */
const LIMIT = 0.7;

/** `kill -9` at random instants, resumed until the crawl is complete. */
export const drill: Drill = {
  name: "kills",
  short: { count: 6, pages: 3000 },
  full: { count: 200, pages: 20_000 },
  async run({ count, pages, seed, onFault }) {
    const random = new Random(seed);
    const killsPerCrawl = Math.max(MIN_KILLS_PER_CRAWL, Math.round(pages / PAGES_PER_KILL));
    const problems: string[] = [];
    const figures = {
      kills: 0,
      crawls: 0,
      urls: 0,
      lost: 0,
      twice: 0,
      refetched: 0,
      mostPerRun: 0,
    };
    while (figures.kills < count && problems.length < MAX_PROBLEMS) {
      await withCrawl({ pages, hosts: 20 }, 2, async (web, out) => {
        // Every second crawl has a limit, which must be kept to the page whatever is lost meanwhile.
        const maxPages = figures.crawls % 2 === 1 ? Math.ceil(LIMIT * pages) : undefined;
        let kills = 0;
        /** Pages that may be fetched again: what a kill cost, less what the runs since have fetched again. */
        let owed = 0;
        for (let before = 0; ; ) {
          const args = nextArguments(web.start, out);
          const first = ["--max-uncommitted", String(MAX_UNCOMMITTED)];
          if (maxPages !== undefined) first.push("--max-pages", String(maxPages));
          const crawl = startCrawl(args[0] === "crawl" ? [...args, ...first] : args);
          const mayKill = kills < killsPerCrawl && figures.kills < count;
          if (mayKill) {
            // One kill in six comes during the start, before anything is served.
            const step = 1 + random.below(Math.ceil((2 * pages) / killsPerCrawl));
            if (random.below(6) === 0) await Promise.race([pause(random, 0, 800), crawl.ended]);
            else await served(web, (await web.report()).pages + step, crawl);
            crawl.child.kill("SIGKILL");
          }
          const { code, signal, stderr } = await crawl.ended;
          const { repeated } = await web.report();
          const again = repeated - before;
          before = repeated;
          figures.mostPerRun = Math.max(figures.mostPerRun, again);
          if (again > owed) problems.push(`${again} refetched, of ${owed} at most`);
          // A run that was killed early leaves some of them to the next.
          owed += MAX_UNCOMMITTED - again;
          if (signal === "SIGKILL") {
            // Killed before it began: nothing to learn.
            if (!existsSync(crawlPaths(out).state)) continue;
            kills++;
            onFault?.(++figures.kills);
            continue;
          }
          figures.refetched += repeated;
          if (code !== (maxPages === undefined ? EXIT.finished : EXIT.limit))
            problems.push(`a run ended with ${code}: ${stderr.slice(-500)}`);
          break;
        }
        const { reachable } = await web.truth();
        const disk = readOnDisk(out);
        figures.crawls++;
        figures.urls += disk.admitted;
        const expected = maxPages ?? reachable;
        const waiting = disk.admitted - disk.done;
        figures.lost += Math.max(0, expected - disk.pages) + (maxPages === undefined ? waiting : 0);
        figures.twice += disk.problems.filter((problem) => problem.endsWith("twice")).length;
        problems.push(...disk.problems);
        if (disk.pages !== expected) problems.push(`${disk.pages} pages of ${expected}`);
        if (kills === 0) problems.push("no kill met a running crawl");
      });
    }
    return { figures, problems };
  },
};
