import assert from "node:assert/strict";
import fs, { readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import type { BuildHere } from "../../src/crawl/builder/build-rules.ts";
import { MainBuilder } from "../../src/crawl/builder/main-builder.ts";
import { DiskFullError } from "../../src/errors.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { buildHere } from "../support/build-here.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";
import { endWithoutBuilder, surviveDeaths } from "./dying-workers.ts";

/** The first byte of what is written to an archive. */
const GZIP = 0x1f;

/** A crawl whose builder is in the main thread; `onPages` is called once when it has some. */
async function crawlHere(
  t: TestContext,
  here: BuildHere,
  onPages: (crawl: CheckedCrawl) => void = () => {},
): Promise<{ readonly archives: number; readonly replaced: readonly string[] }> {
  const web = await startWeb({
    profile: { ...PROFILES.small, pages: 700, hosts: 6 },
    latencyMs: 10,
  });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const settings = checkSettings({
    seeds: [...web.start],
    threads: 1,
    delayMs: 0,
    // Slow enough to be met in its middle.
    linksPerThread: 8,
    maxUncommitted: 64,
  });
  const config = configFrom(settings, { typed: web.start });
  const crawl = new CheckedCrawl(config, out, false, undefined, here);
  const replaced: string[] = [];
  let isTold = false;
  crawl.events.on("workerReplaced", (name) => replaced.push(name));
  crawl.events.on("progress", ({ pages }) => {
    if (pages <= 80 || isTold) return;
    isTold = true;
    onPages(crawl);
  });
  const summary = await crawl.run();
  assert.ok(isTold, "the crawl was too short");
  assert.deepEqual([summary.ended, summary.pages], ["finished", web.truth().reachable]);
  const urls = readPages(out).map(({ url }) => url);
  assert.equal(new Set(urls).size, summary.pages);
  return { archives: readdirSync(join(out, "archive")).length, replaced };
}

test("a builder in the main thread writes what a builder thread writes, without one", async (t) => {
  let isKilled: Promise<boolean> | undefined;
  let builders = 0;
  const here: BuildHere = (...args) => {
    builders++;
    return buildHere(...args);
  };
  const { archives, replaced } = await crawlHere(t, here, (crawl) => {
    isKilled = crawl.killWorker("builder 1");
  });
  assert.deepEqual([archives, replaced, builders], [1, [], 1]);
  assert.equal(await isKilled, false);
});

for (const victim of ["crawler 0", "builder 0"])
  test(`${victim} dies, the builder of which is in the main thread, and is replaced`, async (t) => {
    const kill = (crawl: CheckedCrawl) => void crawl.killWorker(victim);
    const { replaced } = await crawlHere(t, buildHere, kill);
    assert.deepEqual(replaced, [victim]);
  });

test("a builder in the main thread and its crawler die at once, and nothing is lost", async (t) => {
  await surviveDeaths(t, ["builder 0", "crawler 0"], buildHere);
  await surviveDeaths(t, ["crawler 0", "builder 0"], buildHere);
});

for (const ending of ["finished", "interrupted"] as const)
  test(`a builder dies in the main thread while a crawl ends: ${ending}`, (t) =>
    endWithoutBuilder(t, ending, buildHere));

test("a fault while a builder in the main thread writes or is called back is its death, not that of the process", async (t) => {
  const real = fs.writeSync;
  let isStruck = false;
  fs.writeSync = ((...call: [number, Uint8Array, number]) => {
    const fails = isStruck && call[1][call[2] ?? 0] === GZIP;
    if (!fails) return real(...call);
    isStruck = false;
    throw new TypeError("a fault in this test");
  }) as typeof fs.writeSync;
  syncBuiltinESMExports();
  t.after(() => {
    fs.writeSync = real;
    syncBuiltinESMExports();
  });
  const written = await crawlHere(t, buildHere, () => {
    isStruck = true;
  });
  assert.deepEqual(written.replaced, ["builder 0"]);
  // It tells that the journals of a dead crawler are closed when they have been synced.
  const talkative: BuildHere = (rules, onMessage) =>
    new MainBuilder(rules, (message) => {
      if (message.kind === "closed") throw new TypeError("another fault in this test");
      onMessage(message);
    });
  const told = await crawlHere(t, talkative, (crawl) => void crawl.killWorker("crawler 0"));
  assert.ok(told.replaced.includes("builder 0"));
});

test("after a sync that failed a builder in the main thread waits for the disk and is replaced", async (t) => {
  const real = fs.fsync;
  t.after(() => {
    fs.fsync = real;
    syncBuiltinESMExports();
  });
  const { replaced } = await crawlHere(t, buildHere, () => {
    fs.fsync = ((_file: number, done: (fault: Error) => void) => {
      fs.fsync = real;
      syncBuiltinESMExports();
      setImmediate(() => done(Object.assign(new Error("EIO: of this test"), { code: "EIO" })));
    }) as typeof fs.fsync;
    syncBuiltinESMExports();
  });
  assert.deepEqual(replaced, ["builder 0"]);
});

test("where the files cannot be opened in the main thread, a builder thread waits for the disk", async (t) => {
  const { replaced, archives } = await crawlHere(t, () => {
    throw new DiskFullError("no space in this test");
  });
  assert.deepEqual([replaced, archives], [[], 1]);
});
