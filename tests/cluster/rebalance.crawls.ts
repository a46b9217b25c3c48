import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { readMasters } from "../../src/cluster/cluster-nodes.ts";
import { findCrawl } from "../../src/cluster/find-crawl.ts";
import { FROZEN_BY } from "../../src/cluster/move-slot.ts";
import { readStatus } from "../../src/cluster/read-status.ts";
import { rebalance } from "../../src/cluster/rebalance.ts";
import type { BlockAnswer, ClaimAnswer } from "../../src/frontier/engine/engine.ts";
import { freePort, PracticeRedis } from "../../src/web/practice-redis.ts";
import { noRedis, withClient } from "../support/engine/redis.ts";
import { startCluster, untilTrue } from "../support/engine/redis-cluster.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { answer, blockOf, connected, makeCrawl } from "./connected-crawl.ts";

const PARTITIONS = 64;
const LINKS = 20;

test("a new server gets its share while a worker goes on, and nothing is lost or taken twice", {
  skip: noRedis,
}, async (t) => {
  const folder = tempFolder(t);
  const cluster = await startCluster(folder, { masters: 2 });
  t.after(() => cluster.close());
  const engine = await connected(t, cluster.url);
  const crawl = await makeCrawl(engine, "moving", PARTITIONS);
  const holder = crawl.holder("w1/0/1");
  const numbers = Array.from({ length: PARTITIONS }, () => 0);
  const send = async (partition: number): Promise<BlockAnswer> => {
    const block = blockOf(partition, numbers[partition]! + 1, `h${partition}.example`, LINKS);
    const said = await answer<BlockAnswer>((done) => holder.send(block, done));
    if (said.kind === "inserted") numbers[partition]!++;
    return said;
  };
  for (let partition = 0; partition < PARTITIONS; partition++) await send(partition);
  const claims = await Promise.all(
    numbers.map((_, partition) =>
      answer<ClaimAnswer>((done) => holder.claim({ partition, token: "" }, done)),
    ),
  );

  const busPort = await freePort();
  const added = await PracticeRedis.start({
    folder: join(folder, "added"),
    args: ["--cluster-enabled", "yes", "--cluster-port", String(busPort)],
  });
  t.after(() => added.kill());
  await withClient(cluster.masters[0]!.port, (client) =>
    client.call("CLUSTER", "MEET", "127.0.0.1", String(added.port), String(busPort)),
  );
  await untilTrue(async () => (await readMasters(engine)).length === 3);
  // As an interrupted call leaves it.
  await engine.client.hset(crawl.keys.partition(5), "frozen", FROZEN_BY);
  assert.equal((await send(5)).kind, "frozen");

  let isMoving = true;
  let [sent, frozen] = [0, 0];
  const worker = (async () => {
    for (let at = 0; isMoving; at++) {
      if ((await send(at % PARTITIONS)).kind === "frozen") frozen++;
      else sent++;
      await setImmediate();
    }
  })();
  const found = await findCrawl(engine, "moving");
  const result = await rebalance(engine, found);
  isMoving = false;
  await worker;
  t.diagnostic(`${JSON.stringify(result)}, ${sent} blocks meanwhile, ${frozen} told to wait`);
  assert.equal(result.servers, 3);
  assert.ok(
    result.moved >= PARTITIONS / 3 - 1 && result.moved <= (1.5 * PARTITIONS) / 3,
    "no more than needed",
  );
  assert.ok(sent > 0);

  const status = await readStatus(engine, found, 0);
  const expected = numbers.reduce((sum, blocks) => sum + blocks * LINKS, 0);
  assert.deepEqual(
    [status.inserted, status.known, status.partitions.frozen],
    [expected, expected, 0],
  );
  assert.equal(status.partitions.quiet, 0, "a move is not taken for a rollback");
  // Every queue is whole, every block is known where its partition is now, and every lease goes on.
  for (const [partition, number] of numbers.entries()) {
    const base = crawl.keys.partition(partition);
    assert.equal(await engine.client.llen(`${base}:q:h${partition}.example`), number * LINKS);
    const again = blockOf(partition, number, `h${partition}.example`, LINKS);
    assert.equal((await answer<BlockAnswer>((done) => holder.send(again, done))).kind, "known");
    const claim = claims[partition]!;
    assert.ok(claim.kind === "claimed");
    const { token } = claim;
    const renewed = await answer<ClaimAnswer>((done) => holder.claim({ partition, token }, done));
    assert.deepEqual(renewed, { kind: "claimed", token, moved: false });
  }
  assert.equal((await rebalance(engine, found)).moved, 0, "nothing is left to move");
});
