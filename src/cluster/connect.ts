import type { Cluster, Redis } from "ioredis";
import { printable } from "../config/printable.ts";
import { EXIT, OrbweaverError, UsageError } from "../errors.ts";
import { checkedName, EngineKeys } from "../frontier/engine/engine-keys.ts";
import {
  addressOf,
  type EngineAddress,
  openClient,
  type RedisClient,
} from "../frontier/engine/load-ioredis.ts";

const MAX_TRIES = 2;

/** An engine that answers. */
export interface ConnectedEngine {
  readonly client: RedisClient;
  readonly address: EngineAddress;
  /** Every server that owns keys. */
  readonly masters: () => readonly Redis[];
  close(): void;
}

/** Reads the address of an engine; a name and password in it, or else in the environment, are kept apart. */
export function engineAddress(
  text: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): EngineAddress {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isRedis = url?.protocol === "redis:" || url?.protocol === "rediss:";
  if (url === undefined || !isRedis || url.hostname === "")
    throw new UsageError(
      "--engine needs the address of a Redis-protocol server, for example redis://127.0.0.1:6379",
    );
  return { ...addressOf(url.href, environment), isCluster: false };
}

/** Connects once; an engine that is not there, or lets us not in, is one sentence. */
export async function connectEngine(address: EngineAddress): Promise<ConnectedEngine> {
  const single = (await open({ ...address, isCluster: false })) as Redis;
  const isCluster = /cluster_enabled:1/.test(await single.info("cluster"));
  if (!isCluster) {
    const masters = () => [single];
    return { client: single, address, masters, close: () => single.disconnect() };
  }
  single.disconnect();
  const cluster = (await open({ ...address, isCluster: true })) as Cluster;
  return {
    client: cluster,
    address: { ...address, isCluster: true },
    masters: () => cluster.nodes("master"),
    close: () => cluster.disconnect(),
  };
}

async function open(address: EngineAddress): Promise<RedisClient> {
  const client = await openClient(address, { maxTries: MAX_TRIES });
  let last: Error | undefined;
  client.on("error", (fault: Error) => {
    last = fault;
  });
  try {
    await client.ping();
    return client;
  } catch (fault) {
    client.disconnect();
    throw refusal(address, last ?? (fault as Error));
  }
}

function refusal({ url }: EngineAddress, fault: Error): OrbweaverError {
  const shown = printable(url);
  if (/NOAUTH|WRONGPASS|NOPERM|AUTH/.test(fault.message))
    return new OrbweaverError(
      "OW_ENGINE_AUTH",
      `the engine at ${shown} does not let us in (${printable(fault.message)}); set ORBWEAVER_ENGINE_USER and ORBWEAVER_ENGINE_PASSWORD`,
      EXIT.usage,
      fault,
    );
  const why = printable(fault.message || String((fault as NodeJS.ErrnoException).code ?? ""));
  return new OrbweaverError(
    "OW_ENGINE_UNREACHABLE",
    `the engine at ${shown} does not answer: ${why}`,
    EXIT.usage,
    fault,
  );
}

/** A crawl on an engine: its settings and the names of its keys. */
export interface EngineCrawl {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly partitions: number;
  readonly keys: EngineKeys;
}

/** Looks a crawl up; one that is not there is exit 2. */
export async function findCrawl({ client }: ConnectedEngine, name: string): Promise<EngineCrawl> {
  const settings = await client.hgetall(new EngineKeys(name, 0).crawl);
  const partitions = Number(settings.partitions ?? 0);
  if (!(partitions > 0)) throw noSuchCrawl(name);
  return { name, settings, partitions, keys: new EngineKeys(name, partitions) };
}

/** The error for a name that no crawl of the engine has. */
export function noSuchCrawl(name: string): OrbweaverError {
  return new OrbweaverError(
    "OW_ENGINE_NO_CRAWL",
    `the engine has no crawl ${checkedName(name)}`,
    EXIT.usage,
  );
}
