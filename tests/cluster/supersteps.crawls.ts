import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { BarrierAnswer } from "../../src/frontier/engine/engine.ts";
import { EngineKeys } from "../../src/frontier/engine/engine-keys.ts";
import { RedisEngine } from "../../src/frontier/engine/redis-engine.ts";
import { defineScripts } from "../../src/frontier/engine/scripts/named-scripts.ts";
import type { StepReport } from "../../src/frontier/engine/steps/superstep-machine.ts";
import { noRedis, testRedis, withClient } from "../support/engine/redis.ts";
import { answer, connected } from "./connected-crawl.ts";
import type { EngineCrawl } from "./engine-crawl.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine } from "./with-engine.ts";

const HOSTS = 50;
const ARGS = ["--supersteps", "--threads", "1", "--engine-lease", "3s"];

/** The lines of all workers. */
function steps({ folders }: EngineCrawl): (StepReport & { worker: string })[] {
  return folders
    .map((out) => join(out, "reports/supersteps.jsonl"))
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, "utf8").trim().split("\n").filter(Boolean))
    .map((line) => JSON.parse(line));
}

for (const [workers, order] of [
  [1, "bfs"],
  [2, "opic"],
  [4, "bfs"],
] as const) {
  test(`${workers} workers in supersteps find all pages, ${order}`, {
    skip: noRedis,
  }, async (t) => {
    const args = [...ARGS, "--order", order];
    const stage = { profile: { pages: 600, hosts: HOSTS }, latencyMs: 3, delayMs: 0, args };
    await withEngine(stage, async ({ crawl, web }) => {
      await crawl.create();
      for (let i = 1; i < workers; i++) crawl.join();
      assert.deepEqual(await crawl.end(), []);
      const perHost = Number.POSITIVE_INFINITY;
      const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: 0, perHost });
      assert.deepEqual(problems, []);
      const lines = steps(crawl);
      const sum = (name: keyof StepReport) => lines.reduce((total, one) => total + one[name], 0);
      t.diagnostic(`${figures.pages} pages, ${lines.length} lines, ${sum("blocks")} blocks`);
      // Every URL is extracted once, and its end goes with one step, but for the last ones of a worker that leaves.
      assert.ok(sum("extracted") >= figures.pages, `${sum("extracted")} extracted`);
      assert.ok(sum("downloads") <= sum("extracted"));
      assert.ok(sum("received") <= sum("blocks"), "a block is taken in once");
      for (const { balance, durationMs, barrierMs } of lines)
        assert.ok(balance > 0 && balance <= 1 && durationMs >= 0 && barrierMs >= 0);
      for (const id of new Set(lines.map(({ worker }) => worker))) {
        const numbers = lines.filter(({ worker }) => worker === id).map(({ step }) => step);
        assert.deepEqual(
          numbers,
          [...new Set(numbers)].sort((a, b) => a - b),
          "steps go up",
        );
      }
    });
  });
}

test("a worker that dies at the barrier is waited for no longer than its lease", {
  skip: noRedis,
}, async (t) => {
  const stage = { profile: { pages: 1200, hosts: HOSTS }, latencyMs: 5, delayMs: 0, args: ARGS };
  await withEngine(stage, async ({ crawl, web, redis }) => {
    const first = await crawl.create();
    const others = [crawl.join(), crawl.join()];
    const keys = new EngineKeys(crawl.name, 1);
    const arrived = `${keys.crawl}:steps:at`;
    await withClient(redis.port, async (client) => {
      // One that is waited for, and one that waits.
      for (const [i, victim] of others.entries()) {
        await crawl.served(250 * (i + 1));
        const config = join(victim.out, "state/crawl.json");
        while (crawl.alive.length > 1 && !existsSync(config)) await setTimeout(5);
        const { id } = JSON.parse(readFileSync(config, "utf8")).config.worker;
        for (let tries = 0; tries < 5000; tries++) {
          const names = await client.smembers(arrived);
          const isThere = names.some((name) => name.startsWith(`${id}/`));
          if (names.length > 0 && isThere === (i === 1)) break;
          await setTimeout(1);
        }
        t.diagnostic(`killed with ${await client.smembers(arrived)} at the barrier`);
        await crawl.kill(victim);
      }
    });
    assert.deepEqual(await crawl.end(0, 120_000), []);
    assert.equal((await first.ended).code, 0);
    const maxRefetched = 2 * 1000;
    const perHost = Number.POSITIVE_INFINITY;
    const { problems } = await judgeCrawl(crawl, web, { maxRefetched, perHost });
    // What a dead worker had listed is found again by another one.
    assert.deepEqual(
      problems.filter((text) => !/listed/.test(text)),
      [],
    );
  });
});

test("the barrier opens for who lives, by the engine's clock", { skip: noRedis }, async (t) => {
  const { url } = await testRedis(t);
  const { client } = await connected(t, url);
  defineScripts(client);
  const leaseMs = 400;
  const rules = { keys: new EngineKeys("steps", 2), partitions: 2, order: "bfs", leaseMs } as const;
  const holder = (name: string) =>
    new RedisEngine(client, {
      ...rules,
      holder: name,
      onFault: (error) => assert.fail(String(error)),
    });
  const [a, b] = [holder("a"), holder("b")];
  for (const one of [a, b]) await answer((done) => one.beat("", false, done));
  const arrive = (one: RedisEngine, step: number, mail: number[] = []) =>
    answer<BarrierAnswer>((done) => one.arrive({ step, work: step, mail }, done));
  assert.deepEqual(await arrive(a, 0), { step: 1, waits: 0, balance: 1, mail: [] });
  assert.deepEqual(await arrive(a, 1, [1]), { step: 1, waits: 1, balance: 1, mail: [] });
  assert.deepEqual(await arrive(b, 1), { step: 2, waits: 0, balance: 1, mail: [1] });
  // b is silent: a beats, waits, and is let through when b's lease has run out.
  const begin = performance.now();
  let now = await arrive(a, 2);
  assert.equal(now.waits, 1);
  while (now.step === 2) {
    await answer((done) => a.beat("", false, done));
    now = await arrive(a, 2);
  }
  assert.ok(performance.now() - begin > leaseMs / 4, "not before its lease has run out");
  // It comes back, and is told where the others are.
  assert.equal((await arrive(b, 2)).step, 3);
  // An engine that has lost its last writes goes on where the holders are.
  assert.deepEqual(await arrive(a, 9), { step: 10, waits: 0, balance: 1, mail: [] });
});
