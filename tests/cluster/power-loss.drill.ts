import { Random } from "../faults/drill.ts";
import { PowerCut } from "../support/engine/power-cut.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withThreeWorkers } from "./three-workers.ts";

/** Slow enough that a short crawl runs for seconds. */
const DELAY_MS = 100;
/** A server with `appendfsync everysec` loses up to so much. */
const MAX_AGE_MS = 1000;

/** Power loss of the engine: it comes back without what it acknowledged in up to one second before. */
export const drill: ClusterDrill = {
  name: "power-loss",
  short: { count: 1, pages: 2000 },
  full: { count: 6, pages: 12_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = { count, pages, delayMs: DELAY_MS, program };
    return withThreeWorkers(stage, async ({ crawl, web, redis, later }) => {
      let [cuts, lostBytes] = [0, 0];
      while (cuts < count && crawl.alive.length > 0) {
        const power = new PowerCut(redis);
        if (await later(random)) {
          lostBytes += await power.cut(1 + random.below(MAX_AGE_MS));
          await redis.run();
          cuts++;
          onFault?.(cuts);
        }
        power.stop();
      }
      const ends = await crawl.end();
      // What was settled within the lost second is fetched again where the worker could not resend it.
      const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: pages });
      if (cuts < count) problems.push(`only ${cuts} cuts met a running crawl`);
      if (lostBytes === 0) problems.push("no cut lost anything");
      return { figures: { cuts, lostBytes, ...figures }, problems: [...ends, ...problems] };
    });
  },
  mutants: [
    {
      name: "confirmed blocks are forgotten at once",
      from: "nowMs - entry.doneMs > KEEP_MS",
      to: "true",
      noticedBy: /the engine has lost what it had on disk/,
    },
  ],
};
