import { randomBytes } from "node:crypto";
import { keptConfig } from "../../config/kept-config.ts";
import type { CrawlConfig } from "../../config/schema.ts";
import { packageVersion } from "../../config/version.ts";
import { UsageError } from "../../errors.ts";
import { PARTITIONS } from "../../url/site.ts";
import { noSuchCrawl, refuseLongLease } from "./check-engine.ts";
import { EngineRefusedError } from "./connect-engine.ts";
import { EngineKeys } from "./engine-keys.ts";
import type { RedisClient } from "./load-ioredis.ts";
import { runScript } from "./scripts/named-scripts.ts";

/** A crawl as the engine keeps it. */
export interface EngineCrawl {
  /** What it was begun with; the engine's address and secrets are not part of it. */
  readonly config: CrawlConfig;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Since it was begun, by the engine's clock. */
  readonly ageMs: number;
}

/** A new name for a worker. */
export function newWorkerId(): string {
  return randomBytes(4).toString("hex");
}

/** Begins a crawl on the engine; refuses a name that is taken. */
export async function createEngineCrawl(
  client: RedisClient,
  config: CrawlConfig,
): Promise<EngineCrawl> {
  await refuseLongLease(client, config.engineLeaseMs);
  const name = config.crawlName!;
  const keys = new EngineKeys(name, PARTITIONS);
  const taken = new UsageError(
    `there is a crawl ${name} on this engine already: join it with orbweaver worker --crawl ${name}, or choose another --crawl`,
  );
  if ((await client.exists(keys.crawl)) > 0) throw taken;
  const random = randomBytes(8);
  const seedLow = random.readUInt32LE(0);
  const seedHigh = random.readUInt32LE(4);
  const { engine: _, out: _out, ...settings } = keptConfig(config);
  const fields = {
    version: packageVersion(),
    config: JSON.stringify(settings),
    partitions: PARTITIONS,
    order: config.order,
    leaseMs: config.engineLeaseMs,
    seedLow,
    seedHigh,
  };
  // Before the crawl can be found: nobody takes a permit of one that has none, or a partition for one that has lost something.
  await foundPartitions(client, keys, PARTITIONS).catch(refuseFull);
  if (config.maxPages !== undefined)
    await client.hsetnx(`${keys.crawl}:permits`, "left", config.maxPages);
  const made = await runScript(client, "owCreate", keys.crawl, Object.entries(fields).flat());
  // Two that begin at once.
  if (made !== 1) throw taken;
  return { config, seedLow, seedHigh, ageMs: 0 };
}

/** A server that was not full when it was asked a moment ago. */
function refuseFull(fault: unknown): never {
  if (!/^OOM/.test((fault as Error).message)) throw fault;
  throw new EngineRefusedError("the engine is full: raise its maxmemory", fault);
}

/** Lets every partition know which server has it. */
export async function foundPartitions(
  client: RedisClient,
  keys: EngineKeys,
  partitions: number,
): Promise<void> {
  const bases = Array.from({ length: partitions }, (_, number) => keys.partition(number));
  await Promise.all(bases.map((base) => runScript(client, "owFound", base, [])));
}

/** Reads what a crawl was begun with; refuses one of another version. */
export async function readEngineCrawl(
  client: RedisClient,
  name: string,
  url: string,
): Promise<EngineCrawl> {
  const keys = new EngineKeys(name, PARTITIONS);
  const fields = await client.hgetall(keys.crawl);
  if (fields.config === undefined) throw noSuchCrawl(name, { url });
  const version = packageVersion();
  if (fields.version !== version)
    throw new UsageError(
      `the crawl ${name} was begun by version ${fields.version} of this program, and this is ${version}: all workers need the same`,
    );
  await refuseLongLease(client, Number(fields.leaseMs));
  const [seconds] = (await client.time()) as unknown as [string | number];
  return {
    config: JSON.parse(fields.config) as CrawlConfig,
    seedLow: Number(fields.seedLow),
    seedHigh: Number(fields.seedHigh),
    ageMs: Math.max(0, Number(seconds) * 1000 - Number(fields.created)),
  };
}
