import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { freePort, noRedis, startRedis } from "../support/redis-server.ts";
import { runHere } from "./run-bin.ts";

const SEED = "http://127.0.0.1:9/";

test("an engine that cannot hold a crawl is refused in one sentence", {
  skip: noRedis,
}, async (t) => {
  const unsafe = await startRedis({ settings: { appendonly: "no" } });
  const locked = await startRedis({ settings: { requirepass: "secret" } });
  const evicting = await startRedis({
    settings: { maxmemory: "100mb", "maxmemory-policy": "allkeys-lru" },
  });
  t.after(() => Promise.all([unsafe, locked, evicting].map((one) => one.close())));
  const begin = (engine: string) => ["crawl", SEED, "--frontier", "engine", "--engine", engine];
  const dead = `redis://127.0.0.1:${await freePort()}`;
  const wrong = locked.url.replace("//", "//:not-it@");
  const volatile = ["worker", "--engine", unsafe.url, "--crawl", "none", "--volatile"];
  const cases: [string[], RegExp][] = [
    [["crawl", SEED, "--frontier", "engine"], /needs --engine/],
    [begin("http://127.0.0.1/"), /redis:\/\/ or rediss:\/\//],
    [begin("http://me:not-it@127.0.0.1/"), /redis:\/\/ or rediss:\/\//],
    [begin("redis://%zz:not-it@127.0.0.1/"), /a % that begins no escape/],
    [begin(`${unsafe.url}/99`), /DB index is out of range/],
    [begin(dead), /cannot be reached: ECONNREFUSED/],
    [begin(unsafe.url), /set appendonly yes/],
    [begin(evicting.url), /set maxmemory-policy noeviction/],
    [begin(locked.url), /does not accept the name or password/],
    [begin(wrong), /does not accept the name or password/],
    [["worker", "--engine", unsafe.url], /needs --engine and --crawl/],
    [volatile, /there is no crawl none on redis:\/\/127\.0\.0\.1:\d+;/],
    [["crawl", SEED, "--crawl", "a"], /has no effect: it needs --frontier engine/],
  ];
  for (const [argv, message] of cases) {
    const { code, stderr } = await runHere(argv);
    assert.equal(code, 2, `${argv.join(" ")}: ${stderr}`);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /not-it|secret/);
  }
});

test("a crawl on an engine finds what an embedded one finds, and keeps no password", {
  skip: noRedis,
}, async (t) => {
  const server = await startRedis({ settings: { requirepass: "secret" } });
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 60, hosts: 3 } });
  t.after(() => Promise.all([server.close(), web.close()]));
  const folder = tempFolder(t);
  const [here, there] = ["here", "there"].map((name) => join(folder, name));
  const rest = ["--delay", "0", "--threads", "2", "--json", "--quiet", "--out"];
  const engine = server.url.replace("//", "//:secret@");
  const on = ["--frontier", "engine", "--engine", engine, "--crawl", "same"];
  const runs = await Promise.all([
    orbweaver(["crawl", ...web.start, ...rest, here!]),
    orbweaver(["crawl", ...web.start, ...on, ...rest, there!]),
  ]);
  for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
  const urlsOf = (out: string) =>
    [...readFileSync(join(out, "pages/pages.jsonl"), "utf8").matchAll(/"url":"([^"]*)"/g)]
      .map(([, url]) => url)
      .sort();
  assert.deepEqual(urlsOf(there!), urlsOf(here!));
  assert.ok(urlsOf(here!).length > 20);
  assert.doesNotMatch(readFileSync(join(there!, "state/crawl.json"), "utf8"), /secret/);
  const again = await orbweaver(["crawl", ...web.start, ...on, ...rest, join(folder, "again")]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /there is a crawl same on this engine already/);
  // A folder that is taken is refused before the engine knows of the crawl.
  const other = ["--frontier", "engine", "--engine", engine, "--crawl", "other"];
  const taken = await orbweaver(["crawl", ...web.start, ...other, ...rest, here!]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /already holds a crawl/);
  const joined = await orbweaver(["worker", ...other.slice(2), "--out", join(folder, "none")]);
  assert.equal(joined.code, 2);
  assert.match(joined.stderr, /there is no crawl other on redis:/);
});
