import { setTimeout } from "node:timers/promises";
import { Random } from "../faults/drill.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withThreeWorkers } from "./three-workers.ts";

/** Slow enough that a short crawl runs for seconds. */
const DELAY_MS = 100;
const MAX_DOWN_MS = 2000;
/** What was acknowledged and lost is fetched again: at most so many pages for each restart. */
const REFETCHED_PER_RESTART = 200;

/** kill -9 of the engine, which comes back after a while with what it wrote to its append-only file. */
export const drill: ClusterDrill = {
  name: "engine-restart",
  short: { count: 1, pages: 2000 },
  full: { count: 6, pages: 12_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = { count, pages, delayMs: DELAY_MS, program };
    return withThreeWorkers(stage, async ({ crawl, web, redis, later }) => {
      let restarts = 0;
      while (restarts < count && (await later(random))) {
        await redis.kill();
        await setTimeout(random.below(MAX_DOWN_MS));
        await redis.run();
        restarts++;
        onFault?.(restarts);
      }
      const ends = await crawl.end();
      const maxRefetched = REFETCHED_PER_RESTART * count;
      const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched });
      if (restarts < count) problems.push(`only ${restarts} restarts met a running crawl`);
      return { figures: { restarts, ...figures }, problems: [...ends, ...problems] };
    });
  },
  mutants: [
    {
      name: "calls are not repeated",
      from: "maxRetriesPerRequest: null",
      to: "maxRetriesPerRequest: 0",
      noticedBy: /ended with|did not end/,
    },
  ],
};
