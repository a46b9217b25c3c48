import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { EngineKeys } from "../../../src/frontier/engine/engine-keys.ts";
import { openClient } from "../../../src/frontier/engine/load-ioredis.ts";
import { LogSync } from "../../../src/frontier/engine/log-sync.ts";
import { PracticeRedis } from "../../../src/web/practice-redis.ts";
import { PowerCut } from "../../support/engine/power-cut.ts";
import { noRedis } from "../../support/engine/redis.ts";
import { tempFolder } from "../../support/orbweaver.ts";

const PARTITIONS = 4;
/** What a server that syncs every second may lose. */
const LOST_MS = 1000;

async function serverOf(t: TestContext, args: readonly string[] = []) {
  const redis = await PracticeRedis.start({ folder: join(tempFolder(t), "redis"), args });
  const client = await openClient({ url: redis.url, isCluster: false });
  client.on("error", () => {});
  const keys = new EngineKeys("flush", PARTITIONS);
  const sync = new LogSync({ client: Promise.resolve(client), keys, partitions: PARTITIONS });
  t.after(async () => {
    sync.close();
    client.disconnect();
    await redis.kill();
  });
  return { redis, client, sync };
}

test("what was answered before a flush survives a power loss, what was not flushed does not", {
  skip: noRedis,
}, async (t) => {
  const { redis, client, sync } = await serverOf(t);
  for (const isFlushed of [false, true]) {
    const power = new PowerCut(redis);
    await client.set("said", String(isFlushed));
    if (isFlushed) assert.notEqual(await sync.flushed(), undefined);
    await power.cut(LOST_MS);
    await redis.run();
    assert.equal(await client.get("said"), isFlushed ? "true" : null);
  }
});

test("a server that restarts meanwhile has flushed nothing, one that keeps nothing need not", {
  skip: noRedis,
}, async (t) => {
  const { redis, client, sync } = await serverOf(t);
  await client.set("said", "yes");
  assert.notEqual(await sync.flushed(), undefined);
  const flushing = sync.flushed();
  await redis.kill();
  await redis.run();
  assert.equal(await flushing, undefined);
  const without = await serverOf(t, ["--appendonly", "no"]);
  const before = performance.now();
  assert.notEqual(await without.sync.flushed(), undefined);
  assert.ok(performance.now() - before < LOST_MS, "it does not wait");
});
