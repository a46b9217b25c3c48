import { Random } from "../faults/drill.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withThreeWorkers } from "./three-workers.ts";

const DELAY_MS = 5;
/** Part of all pages that may be fetched again, for all kills together. */
const MAX_REFETCHED = 0.01;
/** In flight, or fetched and not settled: what a kill may cost in a crawl that is short for its kills. */
const REFETCHED_PER_KILL = 16;

/** kill -9 of random workers; half of them come back in their folder, the others are replaced by new ones. */
export const drill: ClusterDrill = {
  name: "worker-kills",
  short: { count: 3, pages: 3000 },
  full: { count: 12, pages: 20_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = { count, pages, delayMs: DELAY_MS, program };
    return withThreeWorkers(stage, async ({ crawl, web, later }) => {
      let kills = 0;
      while (kills < count && (await later(random))) {
        const victim = crawl.alive[random.below(crawl.alive.length)]!;
        await crawl.kill(victim);
        kills++;
        onFault?.(kills);
        if (random.below(2) === 0) crawl.rejoin(victim);
        else crawl.join();
      }
      const ends = await crawl.end();
      const { figures, problems } = await judgeCrawl(crawl, web, {
        maxRefetched: Math.max(MAX_REFETCHED * pages, REFETCHED_PER_KILL * count),
      });
      if (kills < count) problems.push(`only ${kills} kills met a running crawl`);
      return { figures: { kills, ...figures }, problems: [...ends, ...problems] };
    });
  },
  mutants: [
    {
      name: "settle before archive",
      from: "this.#port.write(this.#shard, this.#batch.take(), onDurable);",
      to: "this.#port.write(this.#shard, this.#batch.take(), () => {}); onDurable();",
      noticedBy: /in no archive|not in its archive|pages are listed, not/,
    },
  ],
};
