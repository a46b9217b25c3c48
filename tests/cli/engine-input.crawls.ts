import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { startCrawl } from "../faults/drill.ts";
import { withClient } from "../support/engine/redis.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";
import { noRedis, startRedis } from "../support/redis-server.ts";
import { runBin, runHere } from "./run-bin.ts";

const SEED = "http://127.0.0.1:9/";
const begin = (engine: string, name = "news") => [
  ...["crawl", SEED, "--frontier", "engine", "--engine", engine, "--crawl", name],
];

/** A server that answers every call as an old one does. */
async function oldServer(t: TestContext): Promise<string> {
  const info = "# Server\r\nredis_version:6.2.7\r\nredis_mode:standalone\r\nrole:master\r\n";
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      // One answer per call of the pipeline: RESP arrays begin with a star.
      for (const _ of String(data).matchAll(/^\*\d+\r$/gm))
        socket.write(`$${info.length}\r\n${info}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `redis://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test("an old engine, a full one and a worker of another version are one sentence each", {
  skip: noRedis,
}, async (t) => {
  const full = await startRedis({ settings: { maxmemory: "1mb" } });
  const other = await startRedis();
  t.after(() => Promise.all([full.close(), other.close()]));
  await withClient(other.port, (client) =>
    client.hset("orbweaver:news:{crawl}", { version: "0.0.1", config: "{}", partitions: 1024 }),
  );
  const join = (engine: string) => ["worker", "--engine", engine, "--crawl", "news"];
  const cases: [string[], RegExp][] = [
    [begin(await oldServer(t)), /has version 6\.2\.7; a crawl needs Redis 7 or later, or Valkey/],
    [begin(full.url), /is full/],
    [join(other.url), /was begun by version 0\.0\.1 of this program, and this is/],
    [begin(other.url), /there is a crawl news on this engine already/],
    [begin(other.url, "no/name"), /it is no such name/],
  ];
  for (const [argv, message] of cases) {
    const { code, stderr } = await runHere(argv);
    assert.equal(code, 2, `${argv.join(" ")}: ${stderr}`);
    assert.match(stderr, message);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
});

test("an engine that becomes full is waited for, and nothing is dropped", {
  skip: noRedis,
}, async (t) => {
  const redis = await startRedis();
  const profile = { ...PROFILES.small, pages: 400, hosts: 8 };
  const web = await startWebProcess({ profile, latencyMs: 10 });
  t.after(() => Promise.all([redis.close(), web.close()]));
  const out = join(tempFolder(t), "out");
  const crawl = startCrawl([
    ...["crawl", ...web.start, "--frontier", "engine", "--engine", redis.url, "--crawl", "full"],
    ...["--scope", "any", "--allow-private", "127.0.0.0/8", "--delay", "0", "--quiet"],
    ...["--out", out],
  ]);
  const served = async () => (await web.report()).pages;
  while ((await served()) < 50 && crawl.child.exitCode === null) await setTimeout(5);
  const set = (bytes: string) =>
    withClient(redis.port, (client) => client.config("SET", "maxmemory", bytes));
  await set("1mb");
  await crawl.says("the engine is full");
  // Until nothing is fetched any more: what was handed out is fetched, what is new waits.
  for (let before = -1; before !== (await served()); ) {
    before = await served();
    await setTimeout(1500);
  }
  assert.equal(crawl.child.exitCode, null, "it waits");
  assert.ok((await served()) < 400, "it did wait");
  await set("0");
  const { code, stderr } = await crawl.ended;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /the engine is full: the crawl waits/);
  assert.match(stderr, /the engine has room again/);
  assert.equal(readPages(out).length, (await web.truth()).reachable);
});

test("an ACL user with the documented rights crawls, and one with less is told", {
  skip: noRedis,
}, async (t) => {
  const redis = await startRedis();
  const web = await startWebProcess({ profile: { ...PROFILES.small, pages: 40, hosts: 2 } });
  t.after(() => Promise.all([redis.close(), web.close()]));
  await withClient(redis.port, async (client) => {
    const rights = ["~orbweaver:*", "&orbweaver:*", "+@all", "-@dangerous", "+info"];
    await client.call("ACL", "SETUSER", "crawler", "on", ">word-of-crawler", ...rights);
    await client.call("ACL", "SETUSER", "little", "on", ">word-of-little", "~x:*", "+ping");
    await client.call("ACL", "SETUSER", "default", "off");
  });
  const folder = tempFolder(t);
  const run = (user: string, name: string) =>
    runBin(
      [
        ...["crawl", ...web.start, "--frontier", "engine", "--engine", redis.url],
        ...["--crawl", name, "--scope", "any", "--allow-private", "127.0.0.0/8"],
        ...["--delay", "0", "--json", "--out", join(folder, name)],
      ],
      "",
      { ORBWEAVER_ENGINE_USER: user, ORBWEAVER_ENGINE_PASSWORD: `word-of-${user}` },
    );
  const good = await run("crawler", "good");
  assert.equal(good.code, 0, good.stderr);
  const little = await run("little", "little");
  assert.equal(little.code, 2, little.stderr);
  assert.match(little.stderr, /lets this user do too little/);
  for (const { stdout, stderr } of [good, little]) assert.doesNotMatch(stdout + stderr, /word-of/);
});
