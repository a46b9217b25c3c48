import assert from "node:assert/strict";
import { test } from "node:test";
import { Cluster } from "ioredis";
import { killWithLaggingReplica } from "../support/engine/failover.ts";
import { noRedis, withClient } from "../support/engine/redis.ts";
import { startCluster, untilTrue } from "../support/engine/redis-cluster.ts";
import { tempFolder } from "../support/orbweaver.ts";

test("a lagging replica takes over without what its master acknowledged last", {
  skip: noRedis,
}, async (t) => {
  const cluster = await startCluster(tempFolder(t), { nodeTimeoutMs: 1000 });
  t.after(() => cluster.close());
  const client = new Cluster([{ host: "127.0.0.1", port: cluster.masters[0]!.port }]);
  client.on("error", () => {});
  t.after(() => client.disconnect());
  await client.set("early", "yes");
  const slot = Number(await client.cluster("KEYSLOT", "early"));
  const place = Math.floor((slot * cluster.masters.length) / 16_384);
  const [master, replica] = [cluster.masters[place]!, cluster.replicas[place]!];
  await untilTrue(() =>
    withClient(replica.port, async (one) => {
      await one.call("READONLY");
      return (await one.get("early")) === "yes";
    }),
  );
  const killed = killWithLaggingReplica(master, replica, 300);
  let acknowledged = 0;
  await untilTrue(async () => {
    await withClient(master.port, (one) => one.set("{early}late", String(acknowledged + 1)));
    acknowledged++;
    return false;
  }, 250).catch(() => {});
  assert.ok((await killed).lostBytes > 0);
  await untilTrue(() =>
    withClient(replica.port, async (one) =>
      (await one.info("replication")).includes("role:master"),
    ),
  );
  const found = await withClient(replica.port, (one) => one.mget("early", "{early}late"));
  assert.equal(found[0], "yes");
  assert.ok(acknowledged > Number(found[1] ?? 0), "nothing was lost, so nothing was tested");
});
