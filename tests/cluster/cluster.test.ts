import assert from "node:assert/strict";
import { test } from "node:test";
import type { MasterNode } from "../../src/cluster/cluster-nodes.ts";
import { deleteCrawl } from "../../src/cluster/delete-crawl.ts";
import { findCrawl } from "../../src/cluster/find-crawl.ts";
import { readStatus } from "../../src/cluster/read-status.ts";
import { evenMoves } from "../../src/cluster/rebalance.ts";
import { prometheusText, statusText } from "../../src/cluster/status-text.ts";
import type { BlockAnswer, ClaimAnswer, ExtractAnswer } from "../../src/frontier/engine/engine.ts";
import { runHere } from "../cli/run-bin.ts";
import { noRedis, testRedis } from "../support/engine/redis.ts";
import { answer, blockOf, connected, makeCrawl } from "./connected-crawl.ts";

test("status tells what the engine knows", { skip: noRedis }, async (t) => {
  const { url } = await testRedis(t);
  const engine = await connected(t, url);
  const crawl = await makeCrawl(engine, "news", 16);
  const [one, two] = [crawl.holder("w1/0/1"), crawl.holder("w2/0/1")];
  await answer((done) => one.beat("out=/tmp/x", false, done));
  await answer((done) => two.beat("", false, done));
  for (const [partition, host, count] of [
    [3, "slow.example", 50],
    [3, "quick.example", 5],
    [7, "other.example", 20],
  ] as const) {
    const number = host === "quick.example" ? 2 : 1;
    await answer<BlockAnswer>((done) => one.send(blockOf(partition, number, host, count), done));
  }
  const claimed = await answer<ClaimAnswer>((done) => one.claim({ partition: 3, token: "" }, done));
  assert.ok(claimed.kind === "claimed");
  const { token } = claimed;
  const wanted = { partition: 3, token, hosts: 1, perHost: 2, refills: [], again: false };
  const out = await answer<ExtractAnswer>((done) => one.extract(wanted, done));
  assert.ok(out.kind === "extracted");
  const [id] = out.hosts[0]!.urls.map(({ record }) => record.subarray(0, 8));
  const urls = [{ id: id!, decimal: String(id!.readBigInt64LE()), outcome: 1, site: "" }];
  const notes = [["slow.example", "9000 0"]] as const;
  const block = { kind: "settle", partition: 3, number: 3, token, urls, notes } as const;
  await answer<BlockAnswer>((done) => one.send(block, done));
  const late = { ...block, number: 1, token: "0-none" };
  await answer<BlockAnswer>((done) => two.send(late, done));

  const status = await readStatus(engine, await findCrawl(engine, "news"), 1);
  assert.deepEqual(status.partitions, {
    total: 16,
    held: 1,
    free: 1,
    done: 14,
    frozen: 0,
    moved: 0,
    quiet: 0,
  });
  const { inserted, settled, queued, pages, known } = status;
  assert.deepEqual([inserted, settled, queued, pages, known, status.late], [75, 1, 74, 1, 75, 1]);
  assert.deepEqual(
    status.workers.map(({ holder, isAlive, partitions, about }) => [
      holder,
      isAlive,
      partitions,
      about,
    ]),
    [
      ["w1/0/1", true, 1, "out=/tmp/x"],
      ["w2/0/1", true, 0, ""],
    ],
  );
  assert.equal(status.workers[0]!.pages, 1);
  const [slowest] = status.slowestHosts;
  assert.deepEqual([slowest?.host, slowest?.queued, slowest?.delayMs], ["slow.example", 48, 9000]);
  assert.ok(status.servers[0]!.usedBytes > 0);
  assert.equal(status.secondsLeft, undefined, "nothing moved during the sample");
  assert.match(statusText(status), /late {8}1 results/);
  assert.match(prometheusText(status), /^orbweaver_urls_queued\{crawl="news"\} 74$/m);
  assert.match(prometheusText(status), /^orbweaver_partitions\{crawl="news",state="free"\} 1$/m);
  const printed = await runHere([
    "cluster",
    "status",
    "news",
    "--engine",
    url,
    "--json",
    "--sample",
    "0",
  ]);
  assert.equal(printed.code, 0, printed.stderr);
  assert.equal((JSON.parse(printed.stdout) as { queued: number }).queued, 74);
});

test("names from outside cannot break a label", () => {
  const none = { total: 0, held: 0, free: 0, done: 0, frozen: 0, moved: 0, quiet: 0 };
  const figures = { known: 0, inserted: 0, settled: 0, queued: 1, pages: 0, late: 0, abandoned: 0 };
  const slowestHosts = [{ host: 'a"}\n\\\u001b[2J', queued: 1, delayMs: 0, pausedUntilMs: 0 }];
  const rates = { pagesPerSecond: undefined, settledPerSecond: undefined, secondsLeft: undefined };
  const crawl = { crawl: "c", created: "", workers: [], partitions: none, servers: [] };
  const status = { ...crawl, ...figures, ...rates, slowestHosts };
  const line = prometheusText(status)
    .split("\n")
    .find((one) => one.includes("host="));
  assert.equal(
    line,
    'orbweaver_host_queued_urls{crawl="c",host="a\\"}\\\\u{a}\\\\\\\\u{1b}[2J"} 1',
  );
  assert.ok(!statusText(status).includes("\u001b"));
});

test("delete removes the keys of one crawl and no others", { skip: noRedis }, async (t) => {
  const { url } = await testRedis(t);
  const engine = await connected(t, url);
  for (const name of ["news", "news2", "new"]) {
    const crawl = await makeCrawl(engine, name, 16);
    const block = blockOf(2, 1, "a.example", 3);
    await answer<BlockAnswer>((done) => crawl.holder("w").send(block, done));
  }
  await engine.client.set("foreign", "1");
  const of = async (name: string) => (await engine.client.keys(`orbweaver:${name}:*`)).length;
  const before = [await of("news2"), await of("new")];
  assert.ok((await deleteCrawl(engine, "news", false)) >= 4);
  assert.deepEqual([await of("news"), await of("news2"), await of("new")], [0, ...before]);
  assert.equal(await engine.client.get("foreign"), "1");
  await assert.rejects(deleteCrawl(engine, "news", false), { code: "OW_ENGINE_NO_CRAWL" });
  const crawl = await makeCrawl(engine, "busy", 16);
  await answer((done) => crawl.holder("w").beat("", false, done));
  await assert.rejects(deleteCrawl(engine, "busy", false), /alive/);
  assert.ok((await deleteCrawl(engine, "busy", true)) > 0);
});

test("an engine that is not there or lets nobody in is one sentence", {
  skip: noRedis,
}, async (t) => {
  const { url, port } = await testRedis(t, "--requirepass", "secret");
  const status = (engine: string) => runHere(["cluster", "status", "x", "--engine", engine]);
  const cases: [string, RegExp][] = [
    ["http://127.0.0.1:1", /^orbweaver: --engine needs the address/],
    [url, /^orbweaver: the engine \S+ does not accept the name or password/],
    [`redis://:wrong@127.0.0.1:${port}`, /does not accept the name or password/],
    ["redis://127.0.0.1:1", /^orbweaver: the engine redis:\/\/127\.0\.0\.1:1\S* cannot be reached/],
    [`redis://:secret@127.0.0.1:${port}`, /^orbweaver: there is no crawl x on redis/],
  ];
  for (const [engine, said] of cases) {
    const { code, stderr } = await status(engine);
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
    assert.doesNotMatch(stderr, /secret|wrong@/);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
  for (const words of [["cluster"], ["cluster", "stop", "x"], ["cluster", "collect", "x"]])
    assert.equal((await runHere(words)).code, 2);
});

test("as few partitions as possible move, until servers have equal shares", () => {
  const node = (id: string, ...slots: number[]) =>
    ({ id, slots: new Set(slots), migrating: new Map() }) as unknown as MasterNode;
  const slots = Array.from({ length: 12 }, (_, slot) => slot);
  const old = [node("a", 0, 1, 2, 3, 4, 5), node("b", 6, 7, 8, 9, 10, 11)];
  assert.equal(evenMoves(old, slots).length, 0);
  const moves = evenMoves([...old, node("c")], slots);
  assert.equal(moves.length, 4);
  assert.deepEqual(new Set(moves.map(({ target }) => target.id)), new Set(["c"]));
  assert.equal(new Set(moves.map(({ slot }) => slot)).size, 4);
});
