import { OrbweaverError } from "../../errors.ts";
import { connectEngine, EngineRefusedError, engineAddress, factsIn } from "./connect-engine.ts";
import { checkedName } from "./engine-keys.ts";
import { type EngineAddress, noteCluster, openClient, type RedisClient } from "./load-ioredis.ts";
import { defineScripts } from "./scripts/named-scripts.ts";

const MIN_VERSION = 7;

/** What is accepted of an engine. */
export interface EngineChecks {
  /** One that keeps nothing on disk is accepted. */
  readonly volatile: boolean;
}

/**
 * Connects to an engine for a crawl and refuses one that would lose it: too old, one that throws keys away when it is full,
 * or one that keeps nothing on disk. The connection comes back by itself.
 */
export async function connectForCrawl(
  engine: string,
  environment: Readonly<Record<string, string | undefined>>,
  { volatile }: EngineChecks,
): Promise<RedisClient> {
  const address = engineAddress(engine, environment);
  const first = await connectEngine(address);
  try {
    refuseUnfit(first.facts, address, volatile);
    for (const server of first.masters()) {
      const { host, port } = server.options;
      const place = first.address.isCluster ? { url: `${host}:${port}` } : address;
      if (first.address.isCluster) refuseUnfit(factsIn(await server.info()), place, volatile);
      await refuseUnsynced(server, place, volatile);
    }
  } finally {
    first.close();
  }
  const { isCluster } = first.address;
  noteCluster(isCluster);
  const client = await openClient({ ...address, isCluster });
  client.on("error", () => {});
  defineScripts(client);
  return client;
}

function refuseUnfit(
  facts: ReadonlyMap<string, string>,
  { url }: Pick<EngineAddress, "url">,
  volatile: boolean,
): void {
  const version = facts.get("valkey_version") ?? facts.get("redis_version") ?? "unknown";
  if (!(Number.parseInt(version, 10) >= MIN_VERSION))
    throw new EngineRefusedError(
      `the engine ${url} has version ${version}; a crawl needs Redis ${MIN_VERSION} or later, or Valkey`,
    );
  if (facts.get("role") === "slave")
    throw new EngineRefusedError(`the engine ${url} is a replica; use its master`);
  const policy = facts.get("maxmemory_policy") ?? "noeviction";
  if (facts.get("maxmemory") !== "0" && policy !== "noeviction")
    throw new EngineRefusedError(
      `the engine ${url} throws keys away when it is full (maxmemory-policy ${policy}); set maxmemory-policy noeviction`,
    );
  if (facts.get("aof_enabled") === "0" && !volatile)
    throw new EngineRefusedError(
      `the engine ${url} keeps nothing on disk between snapshots (appendonly no); set appendonly yes, or use --volatile for a crawl that may be lost`,
    );
  const used = Number(facts.get("used_memory") ?? 0);
  const most = Number(facts.get("maxmemory") ?? 0);
  if (most > 0 && used >= most)
    throw new EngineRefusedError(
      `the engine ${url} is full: ${used} of maxmemory ${most} bytes are used`,
    );
}

/** Where CONFIG may not be asked, nothing is refused. */
async function refuseUnsynced(
  client: RedisClient,
  { url }: Pick<EngineAddress, "url">,
  volatile: boolean,
): Promise<void> {
  const asked = await client.config("GET", "appendfsync").catch(() => []);
  const value = (asked as readonly string[])[1];
  if (value === "no" && !volatile)
    throw new EngineRefusedError(
      `the engine ${url} does not sync its file (appendfsync no); set appendfsync everysec, or use --volatile for a crawl that may be lost`,
    );
}

/**
 * Refuses a lease that outlasts a failover: a master that was cut off could still believe in leases that its replica has
 * given to others. Where CONFIG may not be asked, nothing is refused.
 */
export async function refuseLongLease(client: RedisClient, leaseMs: number): Promise<void> {
  if (!("nodes" in client)) return;
  const asked = await client
    .nodes("master")[0]
    ?.config("GET", "cluster-node-timeout")
    .catch(() => []);
  const timeoutMs = Number((asked as readonly string[] | undefined)?.[1] ?? Number.NaN);
  if (!(leaseMs > 2 * timeoutMs)) return;
  throw new EngineRefusedError(
    `--engine-lease of ${leaseMs} ms is more than twice the cluster-node-timeout of the engine (${timeoutMs} ms); set cluster-node-timeout ${Math.ceil(leaseMs / 2)} or more, or begin the crawl with a shorter --engine-lease`,
  );
}

/** The crawl that is wanted is not there. */
export function noSuchCrawl(name: string, { url }: Pick<EngineAddress, "url">): OrbweaverError {
  return new OrbweaverError(
    "OW_ENGINE_NO_CRAWL",
    `there is no crawl ${checkedName(name)} on ${url}; orbweaver crawl URL... --frontier engine --engine ${url} --crawl ${name} begins one`,
    2,
  );
}
