import { Random } from "../faults/drill.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine } from "./with-engine.ts";

const WORKERS = 3;
const HOSTS = 50;
const DELAY_MS = 5;
/** Part of all pages that may be fetched again, for all kills together. */
const MAX_REFETCHED = 0.01;

/** kill -9 of random workers; half of them come back in their folder, the others are replaced by new ones. */
export const drill: ClusterDrill = {
  name: "worker-kills",
  short: { count: 3, pages: 3000 },
  full: { count: 12, pages: 20_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = { profile: { pages, hosts: HOSTS }, latencyMs: 2, delayMs: DELAY_MS, program };
    return withEngine(stage, async ({ crawl, web }) => {
      await crawl.create();
      for (let i = 1; i < WORKERS; i++) crawl.join();
      let kills = 0;
      while (kills < count && crawl.alive.length > 0) {
        const step = 1 + random.below(Math.ceil((1.6 * pages) / (count + 1)));
        await crawl.served((await web.report()).pages + step);
        const victim = crawl.alive[random.below(crawl.alive.length)];
        if (victim === undefined) break;
        await crawl.kill(victim);
        kills++;
        onFault?.(kills);
        if (random.below(2) === 0) crawl.rejoin(victim);
        else crawl.join();
      }
      const ends = await crawl.end();
      const { figures, problems } = await judgeCrawl(crawl, web, {
        maxRefetched: MAX_REFETCHED * pages,
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
