import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { loadGiven } from "../../src/config/load.ts";
import { requireUnchanged, resumedConfig } from "../../src/config/resume-config.ts";
import { type CrawlConfig, type CrawlSettings, settings } from "../../src/config/schema.ts";
import { UsageError } from "../../src/errors.ts";

const SEED = "http://127.0.0.1:8080/";

function crawlWith(values: Partial<CrawlSettings> = {}) {
  return configFrom(checkSettings({ seeds: [SEED], out: "crawls/a", ...values }), {
    typed: [SEED],
  });
}

test("a setting that a crawl keeps is refused with its option, both values and the reason", () => {
  const old = crawlWith();
  const changes: [Partial<CrawlSettings>, RegExp][] = [
    [{ store: "tree" }, /^--store cannot change .* it is warc and cannot become tree, because /],
    [{ frontier: "shared" }, /^--frontier .* is sharded and cannot become shared/],
    [{ shards: 4 }, /^--shards .* is 16 and cannot become 4/],
    [{ order: "opic" }, /^--order .* is bfs and cannot become opic/],
    [{ dropSessionIds: true }, /^--drop-session-ids .* is false and cannot become true/],
    [{ trailingSlash: "ignore" }, /^--trailing-slash .* is keep and cannot become ignore/],
    [{ seedsFile: "more.txt" }, /^--seeds .* is not set and cannot become more\.txt/],
    [{ seeds: ["http://b.test/"] }, /^the seeds .* cannot become http:\/\/b\.test\//],
    [{ out: "crawls/b" }, /^--out .* is crawls\/a and cannot become crawls\/b/],
    [{ sync: "monitor" }, /^--sync .* is lock-free and cannot become monitor/],
  ];
  for (const [given, message] of changes) {
    const isTold = (error: unknown) => error instanceof UsageError && message.test(error.message);
    assert.throws(() => resumedConfig(old, given, "crawls/a"), isTold, JSON.stringify(given));
  }
});

test("what is the same as before is no change, whatever its spelling", () => {
  const old = crawlWith({ order: "dfs", store: "none" });
  const given: Partial<CrawlSettings> = {
    seeds: ["HTTP://127.0.0.1:8080"],
    out: "./crawls/../crawls/a",
    store: "none",
    order: "bfs",
    shards: 16,
    strictSeeds: false,
  };
  assert.equal(resumedConfig(old, given, "crawls/a").order, "bfs");
  requireUnchanged(old, crawlWith({ order: "dfs", store: "none" }));
});

test("every setting is either kept with a reason or may change", () => {
  const old = crawlWith();
  for (const [name, { fixed }] of settings) {
    if (fixed !== undefined) assert.match(fixed, /^[a-z]/, name);
    else requireUnchanged(old, { [name]: "anything" });
  }
});

test("requests in flight adapt until a number is given, and then stay as they are", () => {
  const links = ({ linksPerThread, adaptsLinks }: CrawlConfig) => [linksPerThread, adaptsLinks];
  const adaptive = crawlWith();
  assert.deepEqual(links(adaptive), [64, true]);
  assert.deepEqual(links(resumedConfig(adaptive, {}, "crawls/a")), [64, true]);
  const fixed = resumedConfig(adaptive, { linksPerThread: 8, delayMs: 0 }, "crawls/a");
  assert.deepEqual([...links(fixed), fixed.perHost], [8, false, 8 * fixed.threads]);
  assert.deepEqual(links(resumedConfig(fixed, {}, "crawls/a")), [8, false]);
  const { adaptsLinks: _, ...older } = crawlWith({ linksPerThread: 32 });
  assert.deepEqual(links(resumedConfig(older, {}, "crawls/a")), [32, undefined]);
});

test("what is derived from a setting changes with it, unless it was given", () => {
  const old = crawlWith();
  assert.equal(old.perHost, 1);
  const fast = resumedConfig(old, { delayMs: 0 }, "crawls/a");
  assert.equal(fast.perHost, old.threads * 1024, "as many as a thread may ever have");
  const more = resumedConfig(fast, { threads: old.threads + 1 }, "crawls/a");
  assert.equal(more.perHost, (old.threads + 1) * 1024);
  assert.equal(resumedConfig(old, { delayMs: 0, perHost: 3 }, "crawls/a").perHost, 3);
  assert.equal(resumedConfig(crawlWith({ perHost: 2 }), { delayMs: 0 }, "crawls/a").perHost, 2);
  assert.equal(old.loopbackOnly, true);
  const named = resumedConfig(old, { contact: "me@example.org" }, "crawls/a");
  assert.equal(named.loopbackOnly, false);
  assert.match(named.userAgent, /me@example\.org/);
  const own = resumedConfig(crawlWith({ userAgent: "mine/1" }), { contact: "a@b.c" }, "crawls/a");
  assert.equal(own.userAgent, "mine/1");
});

test("settings that exclude each other are refused as in a new crawl", async () => {
  const old = crawlWith();
  for (const flags of [{ priority: "p.mjs" }, { exchangeSize: 8 }]) {
    const resumed = old as unknown as CrawlSettings;
    await assert.rejects(loadGiven({ flags, resumed }), UsageError);
  }
  assert.throws(() => resumedConfig(old, { recrawl: "nowhere" }, "crawls/a"), UsageError);
  assert.throws(() => resumedConfig(old, { threads: 17 }, "crawls/a"), /at most 16 threads/);
});
