import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineKeys } from "../../src/frontier/engine/engine-keys.ts";
import { PARTITIONS } from "../../src/url/site.ts";
import { noRedis, withClient } from "../support/engine/redis.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine } from "./with-engine.ts";

test("an engine that is always too full keeps long queues packed, and nothing is lost with a worker", {
  skip: noRedis,
}, async (t) => {
  const args = ["--engine-memory", "1", "--threads", "1", "--engine-lease", "3s"];
  // One connection per host: queues grow faster than they are worked off.
  const stage = { profile: { pages: 2500, hosts: 4 }, latencyMs: 2, delayMs: 1, args };
  await withEngine(stage, async ({ crawl, web, redis }) => {
    await crawl.create();
    const victim = crawl.join();
    await crawl.served(600);
    await crawl.kill(victim);
    assert.deepEqual(await crawl.end(0, 240_000), []);
    const { problems } = await judgeCrawl(crawl, web, { maxRefetched: 1000 });
    // What a dead worker had listed is found again by another one.
    assert.deepEqual(
      problems.filter((text) => !/listed/.test(text)),
      [],
    );
    const keys = new EngineKeys(crawl.name, PARTITIONS);
    const [packs, packed] = await withClient(redis.port, async (client) => {
      const sums = [0, 0];
      for (let i = 0; i < PARTITIONS; i++)
        for (const [at, value] of (
          await client.hmget(keys.partition(i), "packs", "packed")
        ).entries())
          sums[at]! += Number(value ?? 0);
      return sums;
    });
    t.diagnostic(`${packs} blocks were packed`);
    assert.ok(packs! > 0, "queues were packed");
    assert.equal(packed, 0, "all of them were unpacked");
  });
});
