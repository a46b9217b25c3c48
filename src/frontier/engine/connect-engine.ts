import type { Cluster, Redis } from "ioredis";
import { printable } from "../../config/printable.ts";
import { OrbweaverError, UsageError } from "../../errors.ts";
import { addressOf, type EngineAddress, openClient, type RedisClient } from "./load-ioredis.ts";

/** An engine that does not answer is not waited for at the beginning. */
const FIRST_ANSWER_MS = 5000;
const MAX_TRIES = 2;

/** An engine that cannot be reached, or cannot hold a crawl: a sentence that names what to do. */
export class EngineRefusedError extends OrbweaverError {
  constructor(message: string, cause?: unknown) {
    super("OW_ENGINE", message, 2, cause);
  }
}

/** An engine that answers. */
export interface ConnectedEngine {
  readonly client: RedisClient;
  readonly address: EngineAddress;
  /** The answer to INFO of the server that was asked, line by line. */
  readonly facts: ReadonlyMap<string, string>;
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

/** Connects for the first time, to one server or all of a cluster; an engine that is not there, or lets us not in, is one sentence. */
export async function connectEngine(address: EngineAddress): Promise<ConnectedEngine> {
  const single = (await openClient(
    { ...address, isCluster: false },
    { maxTries: MAX_TRIES },
  )) as Redis;
  const facts = await factsOf(single, address);
  if ((facts.get("redis_mode") ?? facts.get("server_mode")) !== "cluster") {
    const masters = () => [single];
    return { client: single, address, facts, masters, close: () => single.disconnect() };
  }
  single.disconnect();
  const ofCluster = { ...address, isCluster: true };
  const cluster = (await openClient(ofCluster)) as Cluster;
  let last: Error | undefined;
  cluster.on("error", (fault: Error) => {
    last = fault;
  });
  try {
    await inTime(cluster.ping());
  } catch (fault) {
    cluster.disconnect();
    throw unreachable(address, last ?? (fault as Error));
  }
  const masters = () => cluster.nodes("master");
  const close = () => cluster.disconnect();
  return { client: cluster, address: ofCluster, facts, masters, close };
}

async function factsOf(
  client: Redis,
  address: EngineAddress,
): Promise<ReadonlyMap<string, string>> {
  let last: Error | undefined;
  client.on("error", (error: Error) => {
    last = error;
  });
  try {
    // A database that does not exist would be reported, and another one used.
    const { db = 0 } = client.options;
    if (db !== 0) await inTime(client.select(db));
    const text = await inTime(client.info());
    return factsIn(text);
  } catch (fault) {
    client.disconnect();
    throw unreachable(address, last ?? (fault as Error));
  }
}

/** The lines of an answer to INFO. */
export function factsIn(info: string): ReadonlyMap<string, string> {
  return new Map(
    info.split("\r\n").map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it does not answer")), FIRST_ANSWER_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whatever an operator can do about it, without the name and password. */
function unreachable(address: EngineAddress, cause: Error): EngineRefusedError {
  const url = printable(address.url);
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
  const why = code ?? (message === "" ? "no answer" : printable(message));
  const isCertificate = /CERT|SELF_SIGNED|ALTNAME/.test(why);
  const advice = isCertificate ? "; NODE_EXTRA_CA_CERTS names the file of its authority" : "";
  return new EngineRefusedError(`the engine ${url} cannot be reached: ${why}${advice}`, cause);
}
