import { OrbweaverError, UsageError } from "../../errors.ts";
import {
  addressOf,
  type EngineAddress,
  noteCluster,
  openClient,
  type RedisClient,
} from "./load-ioredis.ts";
import { defineScripts } from "./scripts/named-scripts.ts";

/** An engine that does not answer is not waited for when a crawl begins. */
const FIRST_ANSWER_MS = 5000;
const MIN_VERSION = 7;

/** An engine that cannot hold a crawl: a sentence that names the setting. */
export class EngineRefusedError extends OrbweaverError {
  constructor(message: string, cause?: unknown) {
    super("OW_ENGINE", message, 2, cause);
  }
}

/** What is accepted of an engine. */
export interface EngineChecks {
  /** One that keeps nothing on disk is accepted. */
  readonly volatile: boolean;
}

/**
 * Connects to an engine for the first time and refuses one that would lose a crawl: too old, one that throws keys away
 * when it is full, or one that keeps nothing on disk. The name and password are in no message.
 */
export async function connectEngine(
  engine: string,
  environment: Readonly<Record<string, string | undefined>>,
  { volatile }: EngineChecks,
): Promise<RedisClient> {
  const address = { ...addressOf(engine, environment), isCluster: false };
  const first = await openClient(address, { maxTries: 2 });
  let client = first;
  try {
    const facts = await infoOf(first, address);
    refuseUnfit(facts, address, volatile);
    await refuseUnsynced(first, address, volatile);
    const isCluster = (facts.get("redis_mode") ?? facts.get("server_mode")) === "cluster";
    noteCluster(isCluster);
    first.disconnect();
    // This one comes back by itself.
    client = await openClient({ ...address, isCluster });
    client.on("error", () => {});
    defineScripts(client);
    return client;
  } catch (fault) {
    first.disconnect();
    client.disconnect();
    throw fault;
  }
}

/** The answer to INFO, line by line. */
async function infoOf(
  client: RedisClient,
  address: EngineAddress,
): Promise<ReadonlyMap<string, string>> {
  let last: Error | undefined;
  client.on("error", (error: Error) => {
    last = error;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it does not answer")), FIRST_ANSWER_MS);
  });
  try {
    const text = await Promise.race([client.info(), late]);
    return new Map(
      text.split("\r\n").map((line) => {
        const at = line.indexOf(":");
        return [line.slice(0, at), line.slice(at + 1)] as const;
      }),
    );
  } catch (fault) {
    throw unreachable(address, last ?? (fault as Error));
  } finally {
    clearTimeout(timer);
  }
}

function unreachable({ url }: EngineAddress, cause: Error): EngineRefusedError {
  const { message } = cause;
  if (/WRONGPASS|NOAUTH|invalid password|without any password|AUTH/.test(message))
    return new EngineRefusedError(
      `the engine ${url} does not accept the name or password: set ORBWEAVER_ENGINE_PASSWORD, and ORBWEAVER_ENGINE_USER for another user than default`,
      cause,
    );
  if (/NOPERM/.test(message))
    return new EngineRefusedError(
      `the engine ${url} lets this user do too little: it needs ~orbweaver:* &orbweaver:* +@all -@dangerous +info`,
      cause,
    );
  const code = (cause as NodeJS.ErrnoException).code;
  return new EngineRefusedError(
    `the engine ${url} cannot be reached: ${code ?? (message === "" ? "no answer" : message)}`,
    cause,
  );
}

function refuseUnfit(
  facts: ReadonlyMap<string, string>,
  { url }: EngineAddress,
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
  { url }: EngineAddress,
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

/** The crawl that a worker wants is not there, or is there already. */
export function noSuchCrawl(name: string, url: string): UsageError {
  return new UsageError(
    `there is no crawl ${name} on ${url}; orbweaver crawl URL... --frontier engine --engine ${url} --crawl ${name} begins one`,
  );
}
