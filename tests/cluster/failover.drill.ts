import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connectEngine, engineAddress } from "../../src/frontier/engine/connect-engine.ts";
import { EngineKeys } from "../../src/frontier/engine/engine-keys.ts";
import { PARTITIONS, shardOf, siteHash, siteOf } from "../../src/url/site.ts";
import { nthAddress } from "../../src/web/serving/listen.ts";
import { Random, withFolder } from "../faults/drill.ts";
import { killWithLaggingReplica } from "../support/engine/failover.ts";
import { startCluster } from "../support/engine/redis-cluster.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { newCrawl, withMeteredWeb } from "./with-engine.ts";

const WORKERS = 3;
const HOSTS = 90;
const MASTERS = 3;
/** The delay bounds the rate, not the machine, and there are pages left when the replica has taken over. */
const DELAY_MS = 300;
const NODE_TIMEOUT_MS = 2000;
/** The longest that is allowed with this node time-out. */
const LEASE_SECONDS = 4;
const LAG_MS = 400;
const LOOK_MS = 100;
const SLOTS = 16_384;
/** A stall of the dead master's partitions, in node time-outs. */
const MAX_STALL = 3;
/** The hosts of the other partitions are asked at this part of their rate. */
const MIN_RATE = 0.8;

/** What was counted on each of some masters: of partitions that lay there when the crawl began. */
type Counts = readonly number[];

/** A master of a cluster dies while its replica is behind, which then takes over. */
export const drill: ClusterDrill = {
  name: "failover",
  short: { count: 1, pages: 6000 },
  full: { count: 1, pages: 8000 },
  async run({ pages, seed, onFault, program }) {
    const random = new Random(seed);
    const stage = {
      profile: { pages, hosts: HOSTS },
      latencyMs: 10,
      delayMs: DELAY_MS,
      args: ["--engine-lease", `${LEASE_SECONDS}s`],
      program,
    };
    return withFolder((folder) =>
      withMeteredWeb(stage, async (web) => {
        const cluster = await startCluster(join(folder, "redis"), {
          masters: MASTERS,
          nodeTimeoutMs: NODE_TIMEOUT_MS,
        });
        const dead = random.below(MASTERS);
        const engineUrl = cluster.masters[(dead + 1) % MASTERS]!.url;
        const crawl = newCrawl(stage, { engineUrl, web, folder });
        const watch = await connectEngine(engineAddress(engineUrl, {}));
        const keys = new EngineKeys(crawl.name, PARTITIONS);
        // One server at a time, because those of the dead one do not answer.
        const masterOf = (partition: number) =>
          Math.floor((keys.slot(partition) * MASTERS) / SLOTS);
        const hostMasters = Array.from({ length: HOSTS }, (_, host) =>
          masterOf(shardOf(siteHash(siteOf(nthAddress("127.0.0.1", host))), PARTITIONS)),
        );
        const settledOn = async (master: number): Promise<number> => {
          const all = Array.from({ length: PARTITIONS }, (_, number) => number);
          const own = all.filter((one) => masterOf(one) === master);
          const counts = await Promise.all(
            own.map((one) => watch.client.hget(keys.partition(one), "settled")),
          );
          return counts.reduce((sum, one) => sum + Number(one ?? 0), 0);
        };
        try {
          await crawl.create();
          for (let i = 1; i < WORKERS; i++) crawl.join();
          await crawl.served(pages / 4);
          const others = [0, 1, 2].filter((one) => one !== dead);
          const othersNow = async (): Promise<Counts> => Promise.all(others.map(settledOn));
          // Pages fetched, which is what a crawl is for; those that link to the dead master are settled when it is back.
          const askedNow = async (): Promise<Counts> =>
            (await web.requestsOfHosts()).filter((_, host) => hostMasters[host] !== dead);
          const [before, askedBefore] = [await othersNow(), await askedNow()];
          const beganMs = performance.now();
          await setTimeout(MAX_STALL * NODE_TIMEOUT_MS);
          const beforeMs = performance.now() - beganMs;
          const askedRate = rate(askedBefore, await askedNow(), beforeMs);
          const settledRate = rate(before, await othersNow(), beforeMs);
          const { lostBytes } = await killWithLaggingReplica(
            cluster.masters[dead]!,
            cluster.replicas[dead]!,
            LAG_MS,
          );
          const killedMs = performance.now();
          const [atKill, askedAtKill] = [await othersNow(), await askedNow()];
          onFault?.(1);
          // What was settled when the replica answers is what it knew: everything above is new.
          const known = await settledOn(dead);
          const answeredMs = performance.now() - killedMs;
          while (crawl.alive.length > 0 && (await settledOn(dead)) <= known)
            await setTimeout(LOOK_MS);
          const stallMs = performance.now() - killedMs;
          const kept = rate(askedAtKill, await askedNow(), stallMs) / askedRate;
          const settledKept = rate(atKill, await othersNow(), stallMs) / settledRate;
          const ends = await crawl.end();
          const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: pages / 20 });
          if (lostBytes === 0) problems.push("the replica was not behind");
          if (stallMs > MAX_STALL * NODE_TIMEOUT_MS)
            problems.push(`the partitions of the dead master stood still for ${stallMs} ms`);
          if (!(kept >= MIN_RATE))
            problems.push(`the other partitions went on at ${kept.toFixed(2)} of their rate`);
          const times = { answeredMs: Math.round(answeredMs), stallMs: Math.round(stallMs) };
          return {
            figures: {
              ...{ lostBytes, ...times, kept: Number(kept.toFixed(2)) },
              ...{ settledKept: Number(settledKept.toFixed(2)), ...figures },
            },
            problems: [...ends, ...problems],
          };
        } finally {
          watch.close();
          await crawl.close();
          await cluster.close();
        }
      }),
    );
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

function rate(from: Counts, to: Counts, ms: number): number {
  const sum = (of: Counts) => of.reduce((total, one) => total + one, 0);
  return (sum(to) - sum(from)) / ms;
}
