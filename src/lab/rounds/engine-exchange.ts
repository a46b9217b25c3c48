import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configOf, type ProgramSettings } from "../../config/crawl-config.ts";
import { Crawl } from "../../crawl/crawl.ts";
import { connectForCrawl } from "../../frontier/engine/check-engine.ts";
import { createEngineCrawl, newWorkerId } from "../../frontier/engine/engine-crawl.ts";
import { EngineKeys } from "../../frontier/engine/engine-keys.ts";
import type { RedisClient } from "../../frontier/engine/load-ioredis.ts";
import type { StepReport } from "../../frontier/engine/steps/superstep-machine.ts";
import { PARTITIONS } from "../../url/site.ts";
import { PracticeRedis } from "../../web/practice-redis.ts";
import { PROFILES } from "../../web/profile.ts";
import { answeredRate, withWeb } from "../lab-web.ts";

/** A crawl on an engine, as the laboratory compares them. */
export interface EngineExchange {
  readonly isInSteps: boolean;
  readonly pages: number;
  readonly rate: number;
  readonly steps: number;
  /** Blocks of links and of ends that the engine took in. */
  readonly blocks: number;
  /** Credits of pages that had been extracted already. */
  readonly late: number;
  /** Mean wait of a thread at a barrier. */
  readonly barrierMs: number;
}

const NAME = "lab";
/** Milliseconds that every answer of the web takes. */
const LATENCY_MS = 20;

/** Crawls a web by cash on a server of its own, every thread a processor with partitions of its own. */
export async function engineExchange(
  folder: string,
  isInSteps: boolean,
  size: { readonly pages: number; readonly threads: number },
): Promise<EngineExchange> {
  const redis = await PracticeRedis.start({ folder: join(folder, "redis") });
  try {
    const client = await connectForCrawl(redis.url, {}, { volatile: false });
    try {
      const profile = { ...PROFILES.small, pages: size.pages, hosts: Math.min(40, size.pages) };
      return await withWeb({ profile, latencyMs: LATENCY_MS }, async (web) => {
        const out = join(folder, "crawl");
        const config = configOf({
          ...{ seeds: web.start, scope: "any", delayMs: 0, quiet: true, out, order: "opic" },
          ...{ allowPrivate: ["127.0.0.0/8"], frontier: "engine", engine: redis.url },
          ...{ crawlName: NAME, supersteps: isInSteps, threads: size.threads },
          linksPerThread: 8,
        } as ProgramSettings);
        const { seedLow, seedHigh } = await createEngineCrawl(client, config);
        const worker = { id: newWorkerId(), seedLow, seedHigh };
        const crawl = new Crawl({ ...config, worker }, out);
        const { rate } = await answeredRate(web, () => crawl.run());
        const { pages } = await web.report();
        const file = join(out, "reports", "supersteps.jsonl");
        return { isInSteps, pages, rate, ...stepsOf(file), ...(await countsOf(client)) };
      });
    } finally {
      client.disconnect();
    }
  } finally {
    await redis.kill();
  }
}

function stepsOf(file: string): Pick<EngineExchange, "steps" | "barrierMs"> {
  if (!existsSync(file)) return { steps: 0, barrierMs: 0 };
  const text = readFileSync(file, "utf8");
  const lines = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StepReport);
  const waited = lines.reduce((sum, { barrierMs }) => sum + barrierMs, 0);
  const steps = Math.max(0, ...lines.map(({ step }) => step));
  return { steps, barrierMs: waited / Math.max(1, lines.length) };
}

async function countsOf(client: RedisClient): Promise<Pick<EngineExchange, "blocks" | "late">> {
  const keys = new EngineKeys(NAME, PARTITIONS);
  let blocks = 0;
  let late = 0;
  for (let i = 0; i < PARTITIONS; i++) {
    for (const [field, value] of Object.entries(await client.hgetall(keys.partition(i)))) {
      if (field.startsWith("n:")) blocks += Number(value);
      if (field === "lateCredits") late += Number(value);
    }
  }
  return { blocks, late };
}
