import { join } from "node:path";
import { PracticeRedis } from "../../src/web/practice-redis.ts";
import type { WebProfile } from "../../src/web/profile.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { type RemoteWeb, startWebProcess } from "../../src/web/web-process.ts";
import { withFolder } from "../faults/drill.ts";
import { TcpProxy } from "../support/engine/tcp-proxy.ts";
import { EngineCrawl, type EngineCrawlOptions } from "./engine-crawl.ts";

/** A server, a proxy before it, a web that knows its delay, and a crawl that has not begun. */
export interface EngineStage {
  readonly redis: PracticeRedis;
  readonly proxy: TcpProxy;
  readonly web: RemoteWeb;
  readonly folder: string;
  readonly crawl: EngineCrawl;
}

/** What the stage is like. */
export interface StageOptions {
  readonly profile: Partial<WebProfile>;
  readonly latencyMs: number;
  readonly delayMs: number;
  /** Hosts have names and share one address; otherwise each has an address of its own. */
  readonly hostNames?: readonly string[];
  readonly args?: readonly string[];
  readonly program?: string | undefined;
}

/** Runs with a web in a process of its own; latency and delay are those it measures by. */
export async function withMeteredWeb<T>(
  { profile, latencyMs, delayMs, hostNames }: StageOptions,
  run: (web: RemoteWeb) => Promise<T>,
): Promise<T> {
  const web = await startWebProcess({
    profile: { ...PROFILES.small, ...profile },
    latencyMs,
    delayMs,
    ...(hostNames === undefined ? {} : { hostNames: [...hostNames] }),
  });
  try {
    return await run(web);
  } finally {
    await web.close();
  }
}

/** Runs with a single server; everything is gone afterwards. */
export function withEngine<T>(
  options: StageOptions,
  run: (stage: EngineStage) => Promise<T>,
): Promise<T> {
  return withFolder((folder) =>
    withMeteredWeb(options, async (web) => {
      const redis = await PracticeRedis.start({ folder: join(folder, "redis") });
      const proxy = await TcpProxy.start(redis.port);
      const crawl = newCrawl(options, { engineUrl: proxy.url, web, folder });
      try {
        return await run({ redis, proxy, web, folder, crawl });
      } finally {
        await crawl.close();
        await proxy.close();
        await redis.kill();
      }
    }),
  );
}

/** A crawl that has not begun. */
export function newCrawl(
  { args, delayMs, program }: StageOptions,
  place: Pick<EngineCrawlOptions, "engineUrl" | "web" | "folder">,
): EngineCrawl {
  return new EngineCrawl({
    ...place,
    delayMs,
    args: args ?? [],
    ...(program === undefined ? {} : { program }),
  });
}
