import { join } from "node:path";
import type { TestContext } from "node:test";
import { Redis } from "ioredis";
import { findRedisServer, PracticeRedis } from "../../../src/web/practice-redis.ts";
import { tempFolder } from "../orbweaver.ts";

/** Why a test with a real engine does not run, or false when redis-server is here. */
export const noRedis: string | false =
  findRedisServer() === undefined ? "skipped: redis-server is not on the PATH" : false;

/** A server of the test's own, killed after it. */
export async function testRedis(t: TestContext, ...args: string[]): Promise<PracticeRedis> {
  const redis = await PracticeRedis.start({ folder: join(tempFolder(t), "redis"), args });
  t.after(() => redis.kill());
  return redis;
}

/** A connection that neither waits nor tries again; whoever opens it disconnects it. */
export function adminClient(port: number): Redis {
  const client = new Redis({
    host: "127.0.0.1",
    port,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    protocol: 2,
  });
  // A server that was killed on purpose is not news.
  client.on("error", () => {});
  return client;
}

/** Runs with a connection that is closed afterwards. */
export async function withClient<T>(port: number, run: (client: Redis) => Promise<T>): Promise<T> {
  const client = adminClient(port);
  try {
    return await run(client);
  } finally {
    client.disconnect();
  }
}
