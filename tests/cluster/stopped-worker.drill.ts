import { setTimeout } from "node:timers/promises";
import { connectEngine, engineAddress, findCrawl } from "../../src/cluster/connect.ts";
import { readStatus } from "../../src/cluster/read-status.ts";
import { Random } from "../faults/drill.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine } from "./with-engine.ts";

const WORKERS = 3;
const HOSTS = 50;
const DELAY_MS = 20;
/** Longer than a lease. */
const STOPPED_MS = 25_000;

/** Results that the engine did not accept. */
async function lateResults(url: string, name: string): Promise<number> {
  const engine = await connectEngine(engineAddress(url, {}));
  try {
    return (await readStatus(engine, await findCrawl(engine, name), 0)).late;
  } finally {
    engine.close();
  }
}

/** A worker stands still (SIGSTOP) for longer than its leases last, then goes on: what it says then comes too late. */
export const drill: ClusterDrill = {
  name: "stopped-worker",
  short: { count: 1, pages: 4000 },
  full: { count: 3, pages: 20_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = { profile: { pages, hosts: HOSTS }, latencyMs: 30, delayMs: DELAY_MS, program };
    return withEngine(stage, async ({ crawl, web, redis }) => {
      await crawl.create();
      for (let i = 1; i < WORKERS; i++) crawl.join();
      let stops = 0;
      while (stops < count && crawl.alive.length > 0) {
        await crawl.served((await web.report()).pages + pages / (4 * count));
        const worker = crawl.alive[random.below(crawl.alive.length)];
        if (worker === undefined) break;
        worker.child.kill("SIGSTOP");
        await setTimeout(STOPPED_MS);
        worker.child.kill("SIGCONT");
        onFault?.(++stops);
      }
      const ends = await crawl.end();
      const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: pages / 20 });
      if (stops < count) problems.push(`only ${stops} stops met a running crawl`);
      const late = await lateResults(redis.url, crawl.name);
      // What was accepted of them would be listed by two workers.
      if (late === 0) problems.push("no result came late");
      return { figures: { stops, late, ...figures }, problems: [...ends, ...problems] };
    });
  },
  mutants: [
    { name: "no token check", from: "if state[3] ~= token then", to: "if false then" },
    { name: "late results are not rejected", from: 'answer.kind !== "late"', to: "true" },
  ],
};
