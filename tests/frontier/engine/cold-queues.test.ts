import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import {
  ColdQueues,
  isPacked,
  packLinks,
  unpackLinks,
} from "../../../src/frontier/engine/cold-queues.ts";
import type {
  BlockAnswer,
  ClaimAnswer,
  Engine,
  EngineOrder,
  ExtractAnswer,
} from "../../../src/frontier/engine/engine.ts";
import { foundPartitions } from "../../../src/frontier/engine/engine-crawl.ts";
import { EngineKeys } from "../../../src/frontier/engine/engine-keys.ts";
import { HeldPartition } from "../../../src/frontier/engine/held-partition.ts";
import { decimalOf, recordOf } from "../../../src/frontier/engine/link-record.ts";
import { openClient, type RedisClient } from "../../../src/frontier/engine/load-ioredis.ts";
import { RedisEngine } from "../../../src/frontier/engine/redis-engine.ts";
import { defineScripts, SCRIPTS } from "../../../src/frontier/engine/scripts/named-scripts.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { ModelEngine } from "../../../src/verify/engine/model-engine.ts";
import { ScriptModel } from "../../../src/verify/engine/script-model.ts";
import { noRedis, type RunningRedis, startRedis } from "../../support/redis-server.ts";

const LEASE_MS = 60_000;
const HOST = "www.example.org";
const LINKS = 3000;

let server: RunningRedis;
let client: RedisClient;
let crawls = 0;

before(async () => {
  if (noRedis) return;
  server = await startRedis();
  client = await openClient({ url: server.url, isCluster: false });
  defineScripts(client);
});

after(async () => {
  if (noRedis) return;
  client.disconnect();
  await server.close();
});

const asked = <T>(ask: (done: (value: T) => void) => void) => new Promise<T>(ask);

function linkOf(number: number) {
  const url = `https://${HOST}/articles/${number}/a-story-about-spiders` as CrawlUrl;
  const parent = `https://${HOST}/articles/` as CrawlUrl;
  const found = { url, parent, depth: 2, via: "link", seed: false, chain: [] } as const;
  return { ...recordOf(found, HOST, { seedLow: 5, seedHigh: 6 }), credit: 0, bonus: 0 };
}

const all = Array.from({ length: LINKS }, (_, i) => linkOf(i));

async function insert(engine: Engine, number: number, links: typeof all): Promise<void> {
  const hosts = [{ host: HOST, site: "", links }];
  const block = { kind: "insert", partition: 0, number, hosts } as const;
  assert.equal((await asked<BlockAnswer>((on) => engine.send(block, on))).kind, "inserted");
}

async function claim(engine: Engine): Promise<string> {
  const answer = await asked<ClaimAnswer>((on) => engine.claim({ partition: 0, token: "" }, on));
  assert.ok(answer.kind === "claimed");
  return answer.token;
}

/** Packs until there is nothing more to pack. */
async function packAll(engine: Engine, token: string): Promise<number> {
  const ahead = { leaseMs: LEASE_MS, perHost: 4, inSteps: false };
  const held = new HeldPartition(0, token, false, 0, ahead);
  const cold = new ColdQueues({ maxBytes: -1, engine: () => engine, post: (run) => run() });
  // Looks that pack nothing may step over blocks.
  for (let idle = 0; idle < 10; ) {
    const before = cold.packed;
    cold.work([held], 0);
    while (cold.isBusy || !cold.isFull) await setImmediate();
    idle = cold.packed === before ? idle + 1 : 0;
  }
  return cold.packed;
}

/** Takes some URLs in their order, and unpacks what is packed; settles them. */
async function take(engine: Engine, token: string, count: number, from: { number: number }) {
  const records: Buffer[] = [];
  let refills: [string, number][] = [];
  while (records.length < count) {
    const hosts = refills.length > 0 ? 0 : 1;
    const wanted = { partition: 0, token, hosts, perHost: 50, refills, again: false };
    const answer = await asked<ExtractAnswer>((on) => engine.extract(wanted, on));
    assert.ok(answer.kind === "extracted");
    const [one] = answer.hosts;
    if (one === undefined) break;
    for (const { record } of one.urls) {
      if (isPacked(record)) {
        const links = unpackLinks(record);
        const id = record.subarray(0, 8);
        const block = { partition: 0, token, host: HOST, id, links };
        for (const times of [1, 2]) {
          // Said twice because an answer was lost, it changes nothing.
          assert.ok(await asked<boolean>((on) => engine.unpack(block, on)), `unpacked ${times}`);
        }
      } else records.push(record);
    }
    refills = one.hasMore ? [[HOST, 50]] : [];
  }
  const urls = records.map((record) => {
    const id = record.subarray(0, 8);
    return { id, decimal: decimalOf(id), outcome: 1, site: "" };
  });
  const number = from.number++;
  const block = { kind: "settle", partition: 0, number, token, urls, notes: [] } as const;
  assert.deepEqual(await asked<BlockAnswer>((on) => engine.send(block, on)), {
    kind: "settled",
    accepted: urls.length,
  });
  return records;
}

async function checkOrder(order: EngineOrder, open: (holder: string) => Engine): Promise<void> {
  const [a, b] = [open("a"), open("b")];
  await insert(a, 1, all.slice(0, 2500));
  const token = await claim(a);
  const packed = await packAll(a, token);
  assert.ok(packed > 2000, `${packed} packed`);
  // Links that come later stand behind the blocks.
  await insert(a, 2, all.slice(2500));
  await packAll(a, token);
  const numbers = { number: 3 };
  const first = await take(a, token, 700, numbers);
  // It leaves with a block and a few URLs: the next holder gets the same.
  const wanted = { partition: 0, token, hosts: 1, perHost: 30, refills: [], again: false };
  await asked<ExtractAnswer>((on) => a.extract(wanted, on));
  await asked<void>((on) => a.release({ partition: 0, token }, on));
  const mine = await claim(b);
  const rest = await take(b, mine, LINKS, { number: 1 });
  const found = [...first, ...rest].map((record) => record.toString("latin1"));
  assert.equal(new Set(found).size, LINKS, "every link once");
  const records = all.map(({ record }) => record.toString("latin1"));
  const expected = order === "dfs" ? records.toReversed() : records;
  // The one that died had taken a few, whose order among each other is not kept.
  const isInOrder = (some: readonly string[], like: readonly string[]) =>
    some.every((record, i) => record === like[i]);
  assert.ok(isInOrder(found.slice(0, first.length), expected), "in order before the death");
  const tail = LINKS - 200;
  assert.ok(isInOrder(found.slice(-tail), expected.slice(-tail)), "in order after it");
}

for (const order of ["bfs", "dfs"] as const) {
  test(`packed queues come back in order, on the model, ${order}`, async () => {
    const model = new ScriptModel({ partitions: 1, order, leaseMs: LEASE_MS });
    await checkOrder(order, (holder) => new ModelEngine(model, holder));
  });

  test(`packed queues come back in order, on a server, ${order}`, { skip: noRedis }, async () => {
    const keys = new EngineKeys(`cold-${++crawls}`, 1);
    const rules = { keys, partitions: 1, order, leaseMs: LEASE_MS };
    const onFault = (error: unknown) => assert.fail(String(error));
    const bytes = () => client.memory("USAGE", `${keys.partition(0)}:q:${HOST}`, "SAMPLES", 0);
    const engine = new RedisEngine(client, { ...rules, holder: "size", onFault });
    await foundPartitions(client, keys, 1);
    await insert(engine, 1, all);
    const before = Number(await bytes());
    await packAll(engine, await claim(engine));
    const after = Number(await bytes());
    assert.ok(after < 0.4 * before, `${before} bytes became ${after}`);
    await client.flushall();
    await foundPartitions(client, keys, 1);
    await checkOrder(order, (holder) => new RedisEngine(client, { ...rules, holder, onFault }));
  });
}

/** Changes of the scripts, each of which must be noticed. */
const MUTANTS = [
  {
    name: "links of a block come back in the wrong order",
    from: "else for i = #ARGV, 5, -1 do",
    to: "else for i = 5, #ARGV do",
  },
  {
    name: "links behind a block are taken before it is unpacked",
    from: "if isPacked(record) then\n      for back",
    to: "if false then\n      for back",
  },
  {
    name: "a block that is unpacked twice has its links twice",
    from: "redis.call('HDEL', K .. ':o', id)\n  redis.call('SREM'",
    to: "redis.call('SREM'",
  },
];

for (const { name, from, to } of MUTANTS) {
  test(`mutant of packing: ${name}`, { skip: noRedis }, async (t) => {
    const changed = Object.values(SCRIPTS).filter((lua) => lua.includes(from));
    assert.ok(changed.length > 0, "the scripts contain it");
    const mutated = await openClient({ url: server.url, isCluster: false });
    t.after(() => mutated.disconnect());
    for (const [script, lua] of Object.entries(SCRIPTS))
      mutated.defineCommand(script, { numberOfKeys: 1, lua: lua.replace(from, to) });
    const keys = new EngineKeys(`cold-${++crawls}`, 1);
    const rules = { keys, partitions: 1, order: "bfs", leaseMs: LEASE_MS } as const;
    const onFault = (error: unknown) => assert.fail(String(error));
    await foundPartitions(mutated, keys, 1);
    await assert.rejects(
      checkOrder("bfs", (holder) => new RedisEngine(mutated, { ...rules, holder, onFault })),
    );
  });
}

test("links come back from a block as they went in", async () => {
  const links = all.slice(0, 200).map(({ record }) => record);
  const packed = await asked<Buffer>((on) => packLinks(links, on));
  assert.ok(isPacked(packed) && !links.some(isPacked));
  assert.deepEqual(unpackLinks(packed), links);
});
