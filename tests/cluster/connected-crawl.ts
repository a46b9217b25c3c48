import type { TestContext } from "node:test";
import {
  type ConnectedEngine,
  connectEngine,
  engineAddress,
} from "../../src/frontier/engine/connect-engine.ts";
import type { HostLinks, InsertBlock } from "../../src/frontier/engine/engine.ts";
import { foundPartitions } from "../../src/frontier/engine/engine-crawl.ts";
import { EngineKeys } from "../../src/frontier/engine/engine-keys.ts";
import { RedisEngine } from "../../src/frontier/engine/redis-engine.ts";
import { defineScripts, runScript } from "../../src/frontier/engine/scripts/named-scripts.ts";

export const LEASE_MS = 60_000;

/** A crawl on a real engine, made with the real scripts. */
export interface TestCrawl {
  readonly engine: ConnectedEngine;
  readonly keys: EngineKeys;
  holder(name: string): RedisEngine;
}

/** Engines whose test has ended. */
const closed = new WeakSet<ConnectedEngine>();

/** Connects to an engine until the test has ended. */
export async function connected(t: TestContext, url: string): Promise<ConnectedEngine> {
  const engine = await connectEngine(engineAddress(url, {}));
  t.after(() => {
    closed.add(engine);
    return engine.close();
  });
  return engine;
}

/** Creates a crawl. */
export async function makeCrawl(
  engine: ConnectedEngine,
  name: string,
  partitions: number,
): Promise<TestCrawl> {
  const keys = new EngineKeys(name, partitions);
  const { client } = engine;
  defineScripts(client);
  await foundPartitions(client, keys, partitions);
  const settings = ["partitions", partitions, "order", "bfs", "leaseMs", LEASE_MS];
  await runScript(client, "owCreate", keys.crawl, [...settings, "config", '{"delayMs":1000}']);
  const holder = (holderName: string) =>
    new RedisEngine(client, {
      keys,
      holder: holderName,
      partitions,
      order: "bfs",
      leaseMs: LEASE_MS,
      // Calls that a test leaves without an answer end with its connection.
      onFault: (fault) => {
        if (!closed.has(engine)) throw fault;
      },
    });
  return { engine, keys, holder };
}

/** A block with `count` new links of one host. */
export function blockOf(
  partition: number,
  number: number,
  host: string,
  count: number,
): InsertBlock {
  const links = Array.from({ length: count }, (_, at) => {
    const id = Buffer.alloc(8);
    id.writeUInt32LE(partition * 1_000_000 + number * 1000 + at);
    const decimal = String(id.readBigInt64LE());
    return { id, decimal, credit: 0, bonus: 0, record: Buffer.concat([id, Buffer.from("record")]) };
  });
  const hosts: HostLinks[] = [{ host, site: "", links }];
  return { kind: "insert", partition, number, hosts };
}

/** An answer by callback as a promise. */
export function answer<T>(ask: (onAnswer: (value: T) => void) => void): Promise<T> {
  return new Promise((resolve) => ask(resolve));
}
