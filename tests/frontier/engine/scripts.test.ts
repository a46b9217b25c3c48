import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Engine } from "../../../src/frontier/engine/engine.ts";
import { foundPartitions } from "../../../src/frontier/engine/engine-crawl.ts";
import { EngineKeys } from "../../../src/frontier/engine/engine-keys.ts";
import { openClient, type RedisClient } from "../../../src/frontier/engine/load-ioredis.ts";
import { RedisEngine } from "../../../src/frontier/engine/redis-engine.ts";
import { defineScripts } from "../../../src/frontier/engine/scripts/named-scripts.ts";
import { ModelEngine } from "../../../src/verify/engine/model-engine.ts";
import { ScriptModel } from "../../../src/verify/engine/script-model.ts";
import { noRedis, type RunningRedis, startRedis } from "../../support/redis-server.ts";

const PARTITIONS = 2;
/** Longer than a trace takes: nothing expires by itself, so both answer alike. */
const LEASE_MS = 60_000;
const HOLDERS = ["a", "b"];

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

function idOf(url: number): Buffer {
  const id = Buffer.alloc(8);
  // Spread over all bits, also the sign.
  id.writeBigUInt64LE(BigInt.asUintN(64, BigInt(url + 1) * 0x9e3779b97f4a7c15n));
  return id;
}

const linkOf = (url: number, credit = 0) => ({
  id: idOf(url),
  decimal: idOf(url).readBigInt64LE().toString(),
  credit,
  bonus: url % 3,
  record: Buffer.concat([idOf(url), Buffer.from(`rec ${url}`)]),
});

/** One call of a trace; numbers are chosen by the trace, tokens by what was answered. */
type Step =
  | { kind: "insert"; holder: number; partition: number; urls: number[]; skip: number }
  | { kind: "settle"; holder: number; partition: number; urls: number[]; skip: number }
  | { kind: "claim" | "release" | "fence"; holder: number; partition: number }
  | { kind: "extract"; holder: number; partition: number; hosts: number; again: boolean }
  | { kind: "post"; holder: number; partition: number; urls: number[]; step: number }
  | { kind: "step"; holder: number; partition: number; urls: number; step: number; floor: number }
  | { kind: "arrive"; holder: number; step: number; partition: number }
  | { kind: "permits"; holder: number; wanted: number; returned: number; spent: number }
  | {
      kind: "floor";
      holder: number;
      address: number;
      gives: boolean;
      had: boolean;
      turn: number;
      gone: number;
    }
  | { kind: "bury"; holder: number };

const holder = fc.nat(HOLDERS.length - 1);
const partition = fc.nat(PARTITIONS - 1);
const urls = fc.array(fc.nat(40), { minLength: 1, maxLength: 8 });
/** Mostly the next number; sometimes one too far, or one that was. */
const skip = fc.constantFrom(0, 0, 0, 0, 1, -1);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("insert" as const), holder, partition, urls, skip }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("settle" as const), holder, partition, urls, skip }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claim" as const), holder, partition }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("extract" as const),
      holder,
      partition,
      hosts: fc.nat(3),
      again: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("post" as const),
      holder,
      partition,
      urls,
      step: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("step" as const),
      holder,
      partition,
      urls: fc.nat(6),
      step: fc.integer({ min: 1, max: 4 }),
      floor: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("arrive" as const),
      holder,
      partition,
      step: fc.nat(3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("release" as const, "fence" as const),
      holder,
      partition,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("permits" as const),
      holder,
      wanted: fc.nat(5),
      returned: fc.nat(1),
      spent: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("floor" as const),
      holder,
      address: fc.nat(2),
      gives: fc.boolean(),
      had: fc.boolean(),
      turn: fc.nat(1),
      gone: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("bury" as const), holder }) },
);

/** Runs a trace on an engine and tells what was answered, in words. */
async function run(engines: readonly Engine[], trace: readonly Step[]): Promise<string[]> {
  const tokens = new Map<string, string>();
  const numbers = new Map<string, number>();
  const totals = HOLDERS.map(() => ({ granted: 0, returned: 0, spent: 0 }));
  const told: string[] = [];
  for (const step of trace) {
    const engine = engines[step.holder]!;
    const at = "partition" in step ? `${step.holder} ${step.partition}` : "";
    const token = tokens.get(at) ?? "";
    const answer = await new Promise<unknown>((resolve) => {
      if (step.kind === "insert" || step.kind === "settle" || step.kind === "post") {
        const skip = step.kind === "post" ? 0 : step.skip;
        const number = (numbers.get(at) ?? 0) + 1 + skip;
        const urls = [...new Set(step.urls)];
        const links = urls.map((url) => linkOf(url, url % 5));
        const hosts = [0, 1, 2].map((host) => ({
          host: `h${host}`,
          site: host === 0 ? "s" : "",
          links: links.filter((_, i) => urls[i]! % 3 === host),
        }));
        const common = { partition: step.partition, number };
        if (step.kind !== "settle") {
          const some = hosts.filter(({ links }) => links.length > 0);
          const mail = step.kind === "post" ? { step: step.step } : {};
          engine.send({ kind: "insert", ...common, hosts: some, ...mail }, resolve);
        } else {
          const settled = links.map(({ id, decimal }, i) => {
            return { id, decimal, outcome: i % 3, site: i % 2 === 0 ? "s" : "" };
          });
          const notes = [["h0", `note ${number}`]] as const;
          engine.send({ kind: "settle", ...common, token, urls: settled, notes }, resolve);
        }
      } else if (step.kind === "claim") engine.claim({ partition: step.partition, token }, resolve);
      else if (step.kind === "arrive") {
        const { partition, step: number } = step;
        engine.arrive({ step: number, work: partition + 1, mail: [partition] }, resolve);
      } else if (step.kind === "step") {
        const { partition, urls, floor } = step;
        const wanted = { perHost: 2, floor, level: 2, full: urls % 2 === 0 ? ["h1"] : [] };
        engine.step({ partition, token, step: step.step, urls, ...wanted }, resolve);
      } else if (step.kind === "extract") {
        const { partition, hosts, again } = step;
        const refills = again ? [] : ([["h1", 1]] as const);
        engine.extract({ partition, token, hosts, perHost: 2, refills, again }, resolve);
      } else if (step.kind === "release")
        engine.release({ partition: step.partition, token }, () => resolve("released"));
      else if (step.kind === "fence")
        engine.fence(step.partition, HOLDERS[1 - step.holder]!, (pages) =>
          resolve(pages ?? "alive"),
        );
      else if (step.kind === "permits") {
        const mine = totals[step.holder]!;
        if (mine.returned + mine.spent < mine.granted) mine.returned += step.returned;
        if (mine.returned + mine.spent < mine.granted) mine.spent += step.spent;
        engine.permits(mine, step.wanted, (said) => {
          mine.granted = said.granted;
          resolve(said);
        });
      } else if (step.kind === "floor") {
        const { gives, had, turn } = step;
        const call = { kind: gives ? "give" : "take", address: `192.0.2.${step.address}` } as const;
        const gone = HOLDERS[step.gone] ?? "";
        const holder = HOLDERS[step.holder]!;
        engine.floor({ ...call, holder, had, turn, ms: 50_000, gone }, resolve);
      } else engine.bury(HOLDERS[1 - step.holder]!, 1, () => resolve("buried"));
    });
    const said = answer as { kind?: string; token?: string; reached?: number };
    if (said.kind === "claimed") {
      tokens.set(at, said.token!);
      said.token = said.token!.split("-")[0]!;
    }
    if (said.kind === "inserted" || said.kind === "settled" || said.kind === "late")
      numbers.set(at, (numbers.get(at) ?? 0) + 1);
    told.push(`${step.kind} ${at}: ${words(answer)}`);
  }
  const counts = await new Promise<unknown>((resolve) => engines[0]!.counts(resolve));
  told.push(words(counts));
  return told;
}

/** Without what differs by chance: times, and the order in which a hash is gone through. */
function words(answer: unknown): string {
  return JSON.stringify(answer, (name, value) => {
    if (name === "leftMs" || name === "run") return undefined;
    if (name === "waitMs") return value > 0;
    if (value?.type === "Buffer") return Buffer.from(value.data).subarray(8).toString();
    if (Array.isArray(value) && (name === "hosts" || name === "urls" || name === "mail"))
      return [...value].sort((a, b) => (words(a) < words(b) ? -1 : 1));
    return value;
  });
}

/** Found by chance: a holder that asked for no permits and got none dies. */
const GRANTED_NOTHING: readonly Step[] = [
  { kind: "permits", holder: 1, wanted: 0, returned: 0, spent: 0 },
  { kind: "bury", holder: 0 },
  { kind: "permits", holder: 0, wanted: 1, returned: 0, spent: 0 },
];

for (const order of ["bfs", "dfs", "opic"] as const) {
  test(`the scripts answer as the model does, ${order}`, { skip: noRedis }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (trace) => {
        const rules = { partitions: PARTITIONS, order, leaseMs: LEASE_MS };
        const model = new ScriptModel(rules);
        model.permitsLeft = 9;
        const keys = new EngineKeys(`trace-${order}-${++crawls}`, PARTITIONS);
        await client.hset(`${keys.crawl}:permits`, "left", 9);
        await foundPartitions(client, keys, PARTITIONS);
        const onFault = (error: unknown) => {
          throw error;
        };
        const real = HOLDERS.map(
          (name) => new RedisEngine(client, { ...rules, keys, holder: name, onFault }),
        );
        const modelled = HOLDERS.map((name) => new ModelEngine(model, name));
        assert.deepEqual(await run(real, trace), await run(modelled, trace));
      }),
      {
        numRuns: 60,
        endOnFailure: true,
        includeErrorInReport: true,
        examples: [[[...GRANTED_NOTHING]]],
      },
    );
  });
}

test("known fingerprints stay integer sets, whatever their number", { skip: noRedis }, async () => {
  const keys = new EngineKeys("buckets", 1);
  const rules = { partitions: 1, order: "bfs", leaseMs: LEASE_MS } as const;
  const onFault = (error: unknown) => assert.fail(String(error));
  const engine = new RedisEngine(client, { ...rules, keys, holder: "a", onFault });
  const send = (number: number, from: number) =>
    new Promise((resolve) => {
      const links = Array.from({ length: 1000 }, (_, i) => linkOf(from + i));
      engine.send(
        { kind: "insert", partition: 0, number, hosts: [{ host: "h", site: "", links }] },
        resolve,
      );
    });
  for (let block = 0; block < 8; block++)
    assert.deepEqual(await send(block + 1, 1000 * block), {
      kind: "inserted",
      fresh: 1000,
      woke: block === 0,
      late: 0,
    });
  assert.deepEqual(await send(9, 3500), { kind: "inserted", fresh: 0, woke: false, late: 0 });
  const base = keys.partition(0);
  const buckets = Number(await client.hget(base, "buckets"));
  let members = 0;
  for (let i = 0; i < buckets; i++) {
    assert.equal(await client.object("ENCODING", `${base}:s:${i}`), "intset");
    members += await client.scard(`${base}:s:${i}`);
  }
  assert.equal(members, 8000);
  assert.equal(buckets, 40);
});
