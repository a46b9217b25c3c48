import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineKeys } from "../../../src/frontier/engine/engine-keys.ts";
import { openClient } from "../../../src/frontier/engine/load-ioredis.ts";
import { LogSync } from "../../../src/frontier/engine/log-sync.ts";
import { noRedis, startRedis } from "../../support/redis-server.ts";

const PARTITIONS = 4;

test("an engine that can says that its log is on disk, in which life", {
  skip: noRedis,
}, async (t) => {
  const first = await startRedis();
  t.after(() => first.close());
  const client = await openClient({ url: first.url, isCluster: false });
  client.on("error", () => {});
  const keys = new EngineKeys("sync", PARTITIONS);
  const sync = new LogSync({ client: Promise.resolve(client), keys, partitions: PARTITIONS });
  t.after(() => {
    sync.close();
    client.disconnect();
  });
  const [command] = (await client.call("COMMAND", "INFO", "WAITAOF")) as [unknown];
  const life = await sync.synced();
  if (command === null) {
    assert.equal(life, undefined);
    t.diagnostic("this server has no WAITAOF: blocks are kept for 60 s");
    return;
  }
  assert.match(life ?? "", /^run_id:\w+ master_replid:\w+/);
  assert.equal(await sync.synced(), life);
  await first.kill();
  assert.equal(await sync.synced(), undefined);
  const { folder, port } = first;
  const second = await startRedis({ folder, port });
  t.after(() => second.kill());
  let again: string | undefined;
  while (again === undefined) again = await sync.synced();
  assert.notEqual(again, life);
});

test("a log that is not kept is never on disk", { skip: noRedis }, async (t) => {
  const server = await startRedis({ settings: { appendonly: "no" } });
  t.after(() => server.close());
  const client = await openClient({ url: server.url, isCluster: false });
  const keys = new EngineKeys("sync", PARTITIONS);
  const sync = new LogSync({ client: Promise.resolve(client), keys, partitions: PARTITIONS });
  t.after(() => {
    sync.close();
    client.disconnect();
  });
  assert.equal(await sync.synced(), undefined);
});
