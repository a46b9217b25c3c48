import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { PracticeRedis } from "../../src/web/practice-redis.ts";
import { PowerCut } from "../support/engine/power-cut.ts";
import { noRedis, testRedis, withClient } from "../support/engine/redis.ts";
import { TcpProxy } from "../support/engine/tcp-proxy.ts";

/** Sets a key and waits until the server's file has it: while a sync takes long, it answers before it writes. */
async function write({ port, folder }: PracticeRedis, key: string): Promise<void> {
  await withClient(port, (client) => client.set(key, "yes"));
  const log = join(folder, "appendonlydir");
  const isThere = () =>
    readdirSync(log).some((file) => readFileSync(join(log, file), "latin1").includes(key));
  while (!isThere()) await setTimeout(5);
}

test("a server that is killed and run again has what it wrote", {
  skip: noRedis,
}, async (t) => {
  const redis = await testRedis(t);
  await write(redis, "kept");
  await redis.kill();
  assert.equal(redis.isRunning, false);
  await redis.run();
  assert.equal(await withClient(redis.port, (client) => client.get("kept")), "yes");
});

test("a power cut takes back what was written last and nothing before", {
  skip: noRedis,
}, async (t) => {
  const redis = await testRedis(t);
  const power = new PowerCut(redis);
  t.after(() => power.stop());
  await write(redis, "old");
  // The watch, whose timer is due before this one, has seen it.
  await setTimeout(50);
  const beforeMs = performance.now();
  await write(redis, "new");
  assert.ok((await power.cut(performance.now() - beforeMs)) > 0);
  await redis.run();
  const found = await withClient(redis.port, (client) => client.mget("old", "new"));
  assert.deepEqual(found, ["yes", null]);
});

test("a proxy passes, delays, cuts, swallows and leads elsewhere", { skip: noRedis }, async (t) => {
  const [first, second] = [await testRedis(t), await testRedis(t)];
  const proxy = await TcpProxy.start(first.port);
  t.after(() => proxy.close());
  const set = (value: string) => withClient(proxy.port, (client) => client.set("which", value));
  await set("first");
  proxy.delayMs = 50;
  const startMs = performance.now();
  await set("late");
  // A timer may fire a millisecond early.
  assert.ok(performance.now() - startMs >= 95, "both directions are delayed");
  proxy.delayMs = 0;
  proxy.mode = "cut";
  await assert.rejects(set("cut"));
  proxy.mode = "pass";
  proxy.mode = "blackhole";
  const swallowed = set("swallowed").then(
    () => "answered",
    () => "ended",
  );
  const silent = setTimeout(100, "silent");
  assert.equal(await Promise.race([swallowed, silent]), "silent");
  proxy.mode = "pass";
  assert.equal(await swallowed, "ended");
  proxy.targetPort = second.port;
  await set("second");
  const values = [first, second].map(({ port }) => withClient(port, (one) => one.get("which")));
  assert.deepEqual(await Promise.all(values), ["late", "second"]);
});
