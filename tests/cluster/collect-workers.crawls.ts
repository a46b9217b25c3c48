import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findCrawl } from "../../src/cluster/find-crawl.ts";
import { readStatus } from "../../src/cluster/read-status.ts";
import { connectEngine, engineAddress } from "../../src/frontier/engine/connect-engine.ts";
import { startWeb } from "../../src/web/server.ts";
import { noRedis, testRedis } from "../support/engine/redis.ts";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";

test("two workers on an engine, collected, are the crawl that one would have made", {
  skip: noRedis,
}, async (t) => {
  const redis = await testRedis(t);
  const web = await startWeb({ delayMs: 0 });
  t.after(() => web.close());
  const folder = tempFolder(t);
  const at = (name: string) => join(folder, name);
  const crawl = ["crawl", ...web.start, "--scope", "any", "--quiet", "--delay", "30"];
  const alone = await orbweaver([...crawl, "--out", at("alone")]);
  assert.equal(alone.code, 0, alone.stderr);
  const shared = ["--engine", redis.url, "--crawl", "news", "--quiet", "--threads", "1"];
  const first = orbweaver([...crawl, "--frontier", "engine", ...shared, "--out", at("news-first")]);
  // A worker that comes before the crawl exists is told so.
  let worker = await orbweaver(["worker", ...shared, "--out", at("news-second")]);
  while (worker.code === 2 && /no crawl news/.test(worker.stderr))
    worker = await orbweaver(["worker", ...shared, "--out", at("news-second")]);
  assert.equal(worker.code, 0, worker.stderr);
  assert.equal((await first).code, 0, (await first).stderr);
  const collected = await orbweaver([
    ...["cluster", "collect", "news", "--from", folder, "--out", at("all"), "--json"],
  ]);
  assert.equal(collected.code, 0, collected.stderr);
  const urls = (dir: string) => readPages(at(dir)).map(({ url }) => url);
  assert.deepEqual(urls("all").sort(), urls("alone").sort());
  const parts = readdirSync(folder).filter((name) => name.startsWith("news-"));
  t.diagnostic(parts.map((name) => `${name}: ${urls(name).length} pages`).join(", "));
  const engine = await connectEngine(engineAddress(redis.url, {}));
  t.after(() => engine.close());
  const status = await readStatus(engine, await findCrawl(engine, "news"), 0);
  assert.deepEqual([status.queued, status.pages], [0, urls("all").length]);
  const deleted = await orbweaver(["cluster", "delete", "news", "--engine", redis.url, "--force"]);
  assert.equal(deleted.code, 0, deleted.stderr);
  assert.deepEqual(await engine.client.keys("*"), []);
});
