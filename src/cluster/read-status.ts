import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { ConnectedEngine } from "../frontier/engine/connect-engine.ts";
import type { EngineCrawl } from "./find-crawl.ts";
import { longestQueues, type QueuedHost } from "./longest-queues.ts";

/** One holder of leases: a thread of a worker. */
export interface WorkerStatus {
  readonly holder: string;
  /** Since its last sign of life. */
  readonly ageMs: number;
  readonly isAlive: boolean;
  readonly partitions: number;
  readonly pages: number;
  /** What it says about itself. */
  readonly about: string;
}

/** Partitions by what can be done with them now. */
export interface PartitionStatus {
  readonly total: number;
  /** Leased to a holder. */
  readonly held: number;
  /** Something is left, and nobody has it. */
  readonly free: number;
  /** Nothing is left. */
  readonly done: number;
  /** Being moved to another server. */
  readonly frozen: number;
  /** Of these, moved by another tool while in use: they stand still until `cluster rebalance` is called. */
  readonly moved: number;
  /** Given to nobody for a moment, because the engine came back with an older state. */
  readonly quiet: number;
}

/** A server of the engine. */
export interface ServerStatus {
  readonly address: string;
  readonly version: string;
  readonly usedBytes: number;
  /** 0 when there is no limit. */
  readonly maxBytes: number;
  readonly replicas: number;
}

/** Everything that `cluster status` tells. */
export interface ClusterStatus {
  readonly crawl: string;
  readonly created: string;
  readonly workers: readonly WorkerStatus[];
  readonly partitions: PartitionStatus;
  /** URLs. */
  readonly known: number;
  readonly inserted: number;
  readonly settled: number;
  readonly queued: number;
  readonly pages: number;
  readonly late: number;
  readonly abandoned: number;
  /** Per second, over the sample; undefined without one. */
  readonly pagesPerSecond: number | undefined;
  readonly settledPerSecond: number | undefined;
  /** Until the queue is empty, if nothing new were found; undefined when nothing moves. */
  readonly secondsLeft: number | undefined;
  readonly slowestHosts: readonly QueuedHost[];
  readonly servers: readonly ServerStatus[];
}

interface Partition extends Readonly<Record<string, string>> {}

/** Reads everything twice, `sampleMs` apart, for the rates; with 0 once. Nothing is changed. */
export async function readStatus(
  engine: ConnectedEngine,
  crawl: EngineCrawl,
  sampleMs: number,
): Promise<ClusterStatus> {
  const before = sampleMs > 0 ? await readPartitions(engine, crawl) : undefined;
  const startMs = performance.now();
  if (sampleMs > 0) await sleep(sampleMs);
  const partitions = await readPartitions(engine, crawl);
  const seconds = (performance.now() - startMs) / 1000;
  const sum = (name: string, of = partitions) =>
    of.reduce((total, one) => total + Number(one[name] ?? 0), 0);
  const rate = (name: string) =>
    before === undefined ? undefined : Math.max(0, sum(name) - sum(name, before)) / seconds;
  const nowMs = await engineNowMs(engine);
  const leaseMs = Number(crawl.settings.leaseMs ?? 0);
  const [inserted, settled] = [sum("inserted"), sum("settled")];
  const settledPerSecond = rate("settled");
  const queued = Math.max(0, inserted - settled);
  return {
    crawl: crawl.name,
    created: new Date(Number(crawl.settings.created ?? 0)).toISOString(),
    workers: await readWorkers(engine, crawl, partitions, { nowMs, leaseMs }),
    partitions: partitionStatus(partitions, nowMs),
    known: sum("seen"),
    inserted,
    settled,
    queued,
    pages: sum("pages"),
    late: sum("late"),
    abandoned: sum("abandoned"),
    pagesPerSecond: rate("pages"),
    settledPerSecond,
    secondsLeft: settledPerSecond ? queued / settledPerSecond : queued === 0 ? 0 : undefined,
    slowestHosts: await longestQueues(engine, crawl),
    servers: await Promise.all(engine.masters().map(readServer)),
  };
}

async function readPartitions(
  { client }: ConnectedEngine,
  { keys, partitions }: EngineCrawl,
): Promise<Partition[]> {
  return Promise.all(
    Array.from({ length: partitions }, (_, number) => client.hgetall(keys.partition(number))),
  );
}

/** The engine's clock: leases and signs of life go by it. */
async function engineNowMs(engine: ConnectedEngine): Promise<number> {
  const [seconds, micros] = (await engine.masters()[0]!.time()).map(Number);
  return seconds! * 1000 + Math.floor(micros! / 1000);
}

async function readWorkers(
  { client }: ConnectedEngine,
  { keys }: EngineCrawl,
  partitions: readonly Partition[],
  { nowMs, leaseMs }: { nowMs: number; leaseMs: number },
): Promise<WorkerStatus[]> {
  const members = await client.hgetall(`${keys.crawl}:members`);
  return Object.entries(members)
    .map(([holder, sign]) => {
      const [at = "0", ...about] = sign.split(" ");
      const ageMs = Math.max(0, nowMs - Number(at));
      return {
        holder,
        ageMs,
        isAlive: ageMs <= leaseMs,
        partitions: partitions.filter((one) => one.holder === holder && isHeld(one, nowMs)).length,
        pages: partitions.reduce((sum, one) => sum + Number(one[`p:${holder}`] ?? 0), 0),
        about: about.join(" "),
      };
    })
    .sort((a, b) => (a.holder < b.holder ? -1 : 1));
}

function isHeld(partition: Partition, nowMs: number): boolean {
  return partition.holder !== undefined && Number(partition.exp ?? 0) > nowMs;
}

function partitionStatus(partitions: readonly Partition[], nowMs: number): PartitionStatus {
  const count = (is: (one: Partition) => boolean) => partitions.filter(is).length;
  const isDone = (one: Partition) => (one.inserted ?? "0") === (one.settled ?? "0");
  const held = count((one) => !isDone(one) && isHeld(one, nowMs));
  const done = count(isDone);
  return {
    total: partitions.length,
    held,
    done,
    free: partitions.length - held - done,
    frozen: count((one) => one.frozen !== undefined),
    moved: count((one) => one.frozen === "moved"),
    quiet: count((one) => Number(one.quiet ?? 0) > nowMs),
  };
}

async function readServer(server: Redis): Promise<ServerStatus> {
  const [memory, about, replication] = await Promise.all(
    ["memory", "server", "replication"].map((section) => server.info(section)),
  );
  const field = (text: string, name: string) =>
    new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(text)?.[1] ?? "";
  return {
    address: `${server.options.host}:${server.options.port}`,
    version: field(about!, "valkey_version") || field(about!, "redis_version"),
    usedBytes: Number(field(memory!, "used_memory")),
    maxBytes: Number(field(memory!, "maxmemory")),
    replicas: Number(field(replication!, "connected_slaves")),
  };
}
