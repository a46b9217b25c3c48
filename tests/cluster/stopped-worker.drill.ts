import { setTimeout } from "node:timers/promises";
import { findCrawl } from "../../src/cluster/find-crawl.ts";
import { readStatus } from "../../src/cluster/read-status.ts";
import { connectEngine, engineAddress } from "../../src/frontier/engine/connect-engine.ts";
import { Random } from "../faults/drill.ts";
import { TcpProxy } from "../support/engine/tcp-proxy.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine } from "./with-engine.ts";

const WORKERS = 3;
const HOSTS = 50;
/** Slow enough that all stops meet a running crawl, whatever the machine. */
const DELAY_MS = 300;
const LEASE_SECONDS = 5;
/** Longer than a lease. */
const STOPPED_MS = 9000;

/** Results that the engine did not accept. */
async function lateResults(url: string, name: string): Promise<number> {
  const engine = await connectEngine(engineAddress(url, {}));
  try {
    return (await readStatus(engine, await findCrawl(engine, name), 0)).late;
  } finally {
    engine.close();
  }
}

/**
 * A worker stands still (SIGSTOP), or everything between it and the engine does, for longer than its leases last, then
 * goes on: what it says then comes too late.
 */
export const drill: ClusterDrill = {
  name: "stopped-worker",
  short: { count: 2, pages: 4000 },
  full: { count: 4, pages: 20_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const profile = { pages, hosts: HOSTS };
    const args = ["--engine-lease", `${LEASE_SECONDS}s`];
    const stage = { profile, latencyMs: 30, delayMs: DELAY_MS, args, program };
    return withEngine(stage, async ({ crawl, web, redis }) => {
      const lone = await TcpProxy.start(redis.port);
      try {
        await crawl.create();
        const apart = crawl.join(lone.url);
        for (let i = 2; i < WORKERS; i++) crawl.join();
        await crawl.atWork(apart);
        let stops = 0;
        while (stops < count && crawl.alive.length > 0) {
          await crawl.served((await web.report()).pages + pages / (4 * count));
          const worker = crawl.alive[random.below(crawl.alive.length)];
          if (worker === undefined) break;
          // What a process that stood still has sent is seldom late: it first hears that others have taken over.
          if (stops % 2 === 0) lone.hold();
          else worker.child.kill("SIGSTOP");
          await setTimeout(STOPPED_MS);
          if (stops % 2 === 0) lone.goOn();
          else worker.child.kill("SIGCONT");
          stops++;
          onFault?.(stops);
        }
        const ends = await crawl.end();
        const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: pages / 20 });
        if (stops < count) problems.push(`only ${stops} stops met a running crawl`);
        const late = await lateResults(redis.url, crawl.name);
        // What was accepted of them would be listed by two workers.
        if (late === 0) problems.push("no result came late");
        return { figures: { stops, late, ...figures }, problems: [...ends, ...problems] };
      } finally {
        await lone.close();
      }
    });
  },
  mutants: [
    {
      name: "no token check",
      from: "if state[3] ~= token then",
      to: "if false then",
      noticedBy: /listed by two workers|no result came late/,
    },
    {
      name: "late results are not rejected",
      from: 'kind !== "late"',
      to: 'kind !== "never"',
      noticedBy: /listed by two workers/,
    },
  ],
};
