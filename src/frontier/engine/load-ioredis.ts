import type { Cluster, Redis } from "ioredis";
import { OrbweaverError } from "../../errors.ts";

/** What is used of ioredis: a connection to one server, or to all of a cluster. */
export type RedisClient = Redis | Cluster;

/** Loads ioredis, which is needed only by crawls on an engine. */
export async function loadIoredis(): Promise<Pick<typeof import("ioredis"), "Cluster" | "Redis">> {
  try {
    return await import("ioredis");
  } catch (cause) {
    throw new OrbweaverError(
      "OW_ENGINE_CLIENT",
      "--frontier engine needs the package ioredis, which is not installed: npm install ioredis@6",
      2,
      cause,
    );
  }
}

/** Where an engine is, with what it takes to be let in. */
export interface EngineAddress {
  /** redis:// or rediss://, without a name or password. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly isCluster: boolean;
}

/** The variables that name and password come from: on a command line others could read them. */
const USER = "ORBWEAVER_ENGINE_USER";
const PASSWORD = "ORBWEAVER_ENGINE_PASSWORD";
/** "1" for a cluster; set by the first connection of a process, which asks the server. */
const CLUSTER = "ORBWEAVER_ENGINE_CLUSTER";

/** Splits what the user gave into an address and secrets. */
export function addressOf(
  engine: string,
  environment: Readonly<Record<string, string | undefined>>,
): EngineAddress {
  const url = new URL(engine);
  const username = decodeURIComponent(url.username) || environment[USER];
  const password = decodeURIComponent(url.password) || environment[PASSWORD];
  url.username = "";
  url.password = "";
  return { url: url.href, username, password, isCluster: environment[CLUSTER] === "1" };
}

/** The server is one of a cluster: the threads that open connections later know. */
export function noteCluster(isCluster: boolean): void {
  process.env[CLUSTER] = isCluster ? "1" : "0";
}

/** How a connection behaves where the default does not fit. */
export interface ClientOptions {
  /** Undefined: it tries for ever. */
  readonly maxTries?: number;
}

/** Opens a connection that comes back by itself: calls wait meanwhile, and those without an answer are sent again. */
export async function openClient(
  address: EngineAddress,
  { maxTries = Number.POSITIVE_INFINITY }: ClientOptions = {},
): Promise<RedisClient> {
  const { Cluster, Redis } = await loadIoredis();
  const { username, password } = address;
  const url = new URL(address.url);
  const own = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 6379),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(url.protocol === "rediss:" ? { tls: {} } : {}),
    ...(url.pathname.length > 1 ? { db: Number(url.pathname.slice(1)) } : {}),
    maxRetriesPerRequest: null,
    retryStrategy: (tries: number) => (tries > maxTries ? null : Math.min(50 * tries, 1000)),
  };
  if (!address.isCluster) return new Redis(own);
  const { host, port, retryStrategy: _, ...redisOptions } = own;
  return new Cluster([{ host, port }], {
    redisOptions,
    clusterRetryStrategy: (tries) => Math.min(50 * tries, 1000),
    retryDelayOnFailover: 200,
    maxRedirections: 1000,
    slotsRefreshInterval: 2000,
  });
}
