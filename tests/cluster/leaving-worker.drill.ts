import { setTimeout } from "node:timers/promises";
import { Random } from "../faults/drill.ts";
import { PowerCut } from "../support/engine/power-cut.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withThreeWorkers } from "./three-workers.ts";

/** Slow enough that all cuts meet a running crawl. */
const DELAY_MS = 200;
/** A server with `appendfsync everysec` loses up to so much. */
const LOST_MS = 1000;

/** A worker leaves, and as soon as its process has ended the engine loses the last second before: nobody can resend for it. */
export const drill: ClusterDrill = {
  name: "leaving-worker",
  short: { count: 2, pages: 3000 },
  full: { count: 6, pages: 12_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = { count, pages, delayMs: DELAY_MS, program };
    return withThreeWorkers(stage, async ({ crawl, web, redis }) => {
      let [cuts, lostBytes] = [0, 0];
      while (cuts < count) {
        const worker = crawl.alive[random.below(crawl.alive.length)];
        if (worker === undefined) break;
        await crawl.atWork(worker);
        // From now on, because what was there before it began to look would be lost as well.
        const power = new PowerCut(redis);
        await setTimeout(LOST_MS);
        await crawl.served((await web.report()).pages + pages / (8 * count));
        if (worker.child.exitCode !== null) {
          power.stop();
          break;
        }
        worker.isKilled = true;
        worker.child.kill("SIGTERM");
        await worker.ended;
        lostBytes += await power.cut(LOST_MS);
        await redis.run();
        cuts++;
        onFault?.(cuts);
        crawl.join();
      }
      const ends = await crawl.end();
      const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: pages / 100 });
      if (cuts < count) problems.push(`only ${cuts} cuts met a running crawl`);
      if (lostBytes === 0) problems.push("no cut lost anything");
      return { figures: { cuts, lostBytes, ...figures }, problems: [...ends, ...problems] };
    });
  },
  mutants: [
    {
      name: "who leaves does not wait for the engine's disk",
      from: "if (log.isEmpty) {",
      to: "if (true) {",
      noticedBy: /listed by two workers|pages are listed, not/,
    },
  ],
};
