import type { Redis } from "ioredis";
import type { ConnectedEngine } from "../frontier/engine/connect-engine.ts";
import type { EngineCrawl } from "./find-crawl.ts";

const SHOWN = 10;
/** Hosts looked at per partition, of those that wait and of those at work: a crawl may have millions. */
const SAMPLE = 8;

/** A host that keeps the crawl busy longest, as far as the sample saw. */
export interface QueuedHost {
  readonly host: string;
  readonly queued: number;
  /** What it asks for between two requests; the crawl's own delay is not counted in. */
  readonly delayMs: number;
  /** Wall time until which it asked to be left alone, 0 when it did not. */
  readonly pausedUntilMs: number;
}

/** The hosts that need longest for what waits: a sample of every partition, the best of it in order. */
export async function longestQueues(
  { client }: ConnectedEngine,
  { keys, partitions, settings }: EngineCrawl,
): Promise<QueuedHost[]> {
  const redis = client as Redis;
  const isByCash = settings.order === "opic";
  const own = delayOf(settings.config);
  const look = async (number: number): Promise<QueuedHost[]> => {
    const base = keys.partition(number);
    const [waiting, engaged] = await Promise.all([
      redis.zrange(`${base}:h`, "0", String(SAMPLE - 1)),
      redis.srandmember(`${base}:e`, SAMPLE),
    ]);
    const hosts = [...new Set([...waiting, ...engaged])];
    if (hosts.length === 0) return [];
    const notes = await client.hmget(`${base}:n`, ...hosts);
    return Promise.all(
      hosts.map(async (host, at) => {
        const queue = `${base}:q:${host}`;
        const queued = await (isByCash ? client.zcard(queue) : client.llen(queue));
        const [delayMs = 0, pausedUntilMs = 0] = (notes[at] ?? "").split(" ").map(Number);
        return { host, queued, delayMs, pausedUntilMs };
      }),
    );
  };
  const all = await Promise.all(Array.from({ length: partitions }, (_, number) => look(number)));
  const timeOf = ({ queued, delayMs }: QueuedHost) => queued * Math.max(1, own, delayMs);
  return all
    .flat()
    .sort((a, b) => timeOf(b) - timeOf(a))
    .slice(0, SHOWN);
}

/** The delay between two requests of a host that the crawl was started with. */
function delayOf(config: string | undefined): number {
  try {
    const { delayMs } = JSON.parse(config ?? "{}") as { delayMs?: number };
    return Number(delayMs ?? 0);
  } catch {
    return 0;
  }
}
