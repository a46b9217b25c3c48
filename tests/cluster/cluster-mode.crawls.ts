import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type MasterNode, readMasters } from "../../src/cluster/cluster-nodes.ts";
import { findCrawl } from "../../src/cluster/find-crawl.ts";
import { readStatus } from "../../src/cluster/read-status.ts";
import { rebalance } from "../../src/cluster/rebalance.ts";
import type { BlockAnswer, ClaimAnswer, ExtractAnswer } from "../../src/frontier/engine/engine.ts";
import { slotOf } from "../../src/frontier/engine/engine-keys.ts";
import { SCRIPTS } from "../../src/frontier/engine/scripts/named-scripts.ts";
import { runHere } from "../cli/run-bin.ts";
import { noRedis } from "../support/engine/redis.ts";
import { startCluster } from "../support/engine/redis-cluster.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { answer, blockOf, connected, makeCrawl } from "./connected-crawl.ts";

const PARTITION = 3;
const LINKS = 900;

/** Moves a slot as redis-cli does, key by key, and calls `between` at every step on the way. */
async function moveBySlot(
  slot: number,
  [source, target]: readonly [MasterNode, MasterNode],
  all: readonly MasterNode[],
  between: () => Promise<void>,
): Promise<void> {
  const set = (node: MasterNode, ...words: string[]) =>
    node.client.call("CLUSTER", "SETSLOT", String(slot), ...words);
  await set(target, "IMPORTING", source.id);
  await set(source, "MIGRATING", target.id);
  await between();
  for (;;) {
    const keys = (await source.client.call(
      ...["CLUSTER", "GETKEYSINSLOT"],
      String(slot),
      "1",
    )) as string[];
    if (keys.length === 0) break;
    const { host, port } = target;
    await source.client.call("MIGRATE", host, String(port), "", "0", "5000", "KEYS", ...keys);
    await between();
  }
  for (const node of [target, source, ...all]) await set(node, "NODE", target.id);
  await between();
}

/** What became of a partition that was moved while blocks went on: its answers, and what it knows at the end. */
async function moveUnfrozen(t: TestContext, isBroken: boolean) {
  const cluster = await startCluster(tempFolder(t), { masters: 2 });
  t.after(() => cluster.close());
  const engine = await connected(t, cluster.url);
  const crawl = await makeCrawl(engine, "moving", 16);
  if (isBroken)
    for (const [name, lua] of Object.entries(SCRIPTS))
      engine.client.defineCommand(name, {
        numberOfKeys: 1,
        lua: lua.replace(
          "local function isStray(run, node)",
          "$&\n  if true then return false end",
        ),
      });
  const holder = crawl.holder("w1/0/1");
  let number = 0;
  const send = async (first = number + 1): Promise<BlockAnswer> => {
    const block = { ...blockOf(PARTITION, first, "a.example", LINKS), number: number + 1 };
    const said = await answer<BlockAnswer>((done) => holder.send(block, done));
    if (said.kind === "inserted") number++;
    return said;
  };
  await send();
  const claim = await answer<ClaimAnswer>((done) =>
    holder.claim({ partition: PARTITION, token: "" }, done),
  );
  assert.ok(claim.kind === "claimed");
  const base = crawl.keys.partition(PARTITION);
  const slot = slotOf(/\{(.*)\}$/.exec(base)![1]!);
  const masters = await readMasters(engine);
  const source = masters.find(({ slots }) => slots.has(slot))!;
  const target = masters.find((one) => one !== source)!;
  const kinds = new Set<string>();
  const wanted = { partition: PARTITION, token: claim.token, hosts: 1, perHost: 1, refills: [] };
  await moveBySlot(slot, [source, target], masters, async () => {
    // A broken script fails between two servers; what is then half done is what this is about.
    const patience = AbortSignal.timeout(1000);
    const some = await Promise.race([
      Promise.all([
        send(1).then(({ kind }) => kind),
        answer<ExtractAnswer>((done) => holder.extract({ ...wanted, again: false }, done)).then(
          ({ kind }) => kind,
        ),
      ]),
      new Promise<string[]>((resolve) => {
        patience.addEventListener("abort", () => resolve(["no answer"]));
      }),
    ]);
    for (const kind of some) kinds.add(kind);
  });
  const found = await findCrawl(engine, "moving");
  return { engine, found, kinds, send, holder, claim, wanted };
}

/** Nothing keeps the process for so long but what nobody waits for. */
const STILL_OPEN_MS = 10_000;

test("a partition that another tool moves stands still, and loses nothing", {
  skip: noRedis,
}, async (t) => {
  const { engine, found, kinds, send, holder, claim, wanted } = await moveUnfrozen(t, false);
  assert.deepEqual([...kinds], ["frozen"]);
  const before = await readStatus(engine, found, 0);
  assert.equal(before.partitions.moved, 1);
  assert.equal((await rebalance(engine, found)).adopted, 1);
  const { inserted, known, partitions } = await readStatus(engine, found, 0);
  assert.deepEqual([inserted, known, partitions.moved], [LINKS, LINKS, 0]);
  assert.deepEqual(
    await send(1),
    { kind: "inserted", fresh: 0, woke: false, late: 0 },
    "all are known",
  );
  const { token } = claim;
  const renewed = await answer<ClaimAnswer>((done) =>
    holder.claim({ partition: PARTITION, token }, done),
  );
  assert.equal(renewed.kind, "claimed");
  const out = await answer<ExtractAnswer>((done) =>
    holder.extract({ ...wanted, perHost: LINKS, again: true }, done),
  );
  assert.ok(out.kind === "extracted");
  assert.equal(out.hosts[0]!.urls.length, LINKS);
});

test("mutant: a move that is not noticed is worked on half-way", { skip: noRedis }, async (t) => {
  const { kinds } = await moveUnfrozen(t, true);
  assert.ok(kinds.has("inserted") || kinds.has("extracted"), [...kinds].join());
});

test("a lease that outlasts a failover is refused", { skip: noRedis }, async (t) => {
  // The last test here: a connection to a cluster that is gone may go on looking for its servers after it was closed.
  t.after(() => {
    setTimeout(() => process.exit(), STILL_OPEN_MS).unref();
  });
  const cluster = await startCluster(tempFolder(t), { masters: 3, nodeTimeoutMs: 2000 });
  t.after(() => cluster.close());
  const begin = (lease: string) =>
    runHere([
      ...["crawl", "http://127.0.0.1:9/", "--frontier", "engine", "--engine", cluster.url],
      ...["--crawl", `lease-${lease}`, "--engine-lease", lease, "--json", "--quiet"],
      ...["--out", tempFolder(t)],
    ]);
  const long = await begin("5s");
  assert.equal(long.code, 2, long.stderr);
  assert.match(long.stderr, /more than twice the cluster-node-timeout of the engine \(2000 ms\)/);
  const short = await begin("2s");
  assert.equal(short.code, 2);
  assert.match(short.stderr, /3/);
});
