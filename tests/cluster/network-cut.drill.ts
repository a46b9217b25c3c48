import { setTimeout } from "node:timers/promises";
import { Random } from "../faults/drill.ts";
import type { ProxyMode } from "../support/engine/tcp-proxy.ts";
import { TcpProxy } from "../support/engine/tcp-proxy.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine } from "./with-engine.ts";

const WORKERS = 3;
const HOSTS = 50;
/** Slow enough that all cuts meet a running crawl. */
const DELAY_MS = 100;
const CUT_SECONDS = [1, 10, 60];
/** Healed within two leases. */
const LEASE_MS = 15_000;
const MODES: readonly ProxyMode[] = ["cut", "blackhole"];
/** Pages between two cuts. */
const BETWEEN = 0.15;

/** The network between workers and engine fails for 1, 10 and 60 s: for all workers, and for one of them alone. */
export const drill: ClusterDrill = {
  name: "network-cut",
  short: { count: 1, pages: 2500 },
  full: { count: 6, pages: 20_000 },
  async run({ count, pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = { profile: { pages, hosts: HOSTS }, latencyMs: 2, delayMs: DELAY_MS, program };
    return withEngine(stage, async ({ crawl, web, redis, proxy }) => {
      const lone = await TcpProxy.start(redis.port);
      try {
        await crawl.create();
        crawl.join(lone.url);
        for (let i = 2; i < WORKERS; i++) crawl.join();
        const served = async () => (await web.report()).pages;
        let [cuts, slowestMs] = [0, 0];
        while (cuts < count && crawl.alive.length > 0) {
          await crawl.served((await served()) + Math.ceil((BETWEEN * pages * 5) / (count + 4)));
          if (crawl.alive.length === 0) break;
          const seconds = CUT_SECONDS[cuts % CUT_SECONDS.length]!;
          const mode = MODES[Math.floor(cuts / CUT_SECONDS.length) % MODES.length]!;
          // Every second cut separates one worker from the others.
          const cut = cuts % 2 === 1 ? [lone] : [proxy, lone];
          for (const one of cut) one.mode = mode;
          await setTimeout(1000 * seconds + random.below(200));
          const before = await served();
          for (const one of cut) one.mode = "pass";
          const healedMs = performance.now();
          await crawl.served(before + 1);
          slowestMs = Math.max(slowestMs, performance.now() - healedMs);
          cuts++;
          onFault?.(cuts);
        }
        const ends = await crawl.end();
        const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: pages / 20 });
        if (slowestMs > 2 * LEASE_MS)
          problems.push(`nothing was fetched for ${Math.round(slowestMs)} ms after a cut`);
        if (cuts < count) problems.push(`only ${cuts} cuts met a running crawl`);
        const healed = { cuts, slowestHealMs: Math.round(slowestMs) };
        return { figures: { ...healed, ...figures }, problems: [...ends, ...problems] };
      } finally {
        await lone.close();
      }
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
