import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import type { BuildHere } from "../../src/crawl/builder/build-rules.ts";
import { recoverFolder } from "../../src/store/recover/recover-folder.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";

const FACTS = { seconds: 1, threads: 2, buffers: 1, endedBy: "a test" };

/**
 * Workers die at once: the one that dies second is in the middle of helping the first. With `here` the builder is in the
 * main thread.
 */
export async function surviveDeaths(
  t: TestContext,
  victims: readonly string[],
  here?: BuildHere,
): Promise<void> {
  const profile = { ...PROFILES.small, pages: 700, hosts: 6 };
  const web = await startWeb({ profile, latencyMs: 10 });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const settings = checkSettings({
    seeds: [...web.start],
    threads: here === undefined ? 2 : 1,
    delayMs: 0,
    // Slow enough to be met in its middle.
    linksPerThread: 8,
    maxUncommitted: 64,
  });
  const config = configFrom(settings, { typed: web.start });
  const crawl = new CheckedCrawl(config, out, false, undefined, here);
  let kills = 0;
  const replaced: string[] = [];
  crawl.events.on("workerReplaced", (name) => replaced.push(name));
  crawl.events.on("progress", ({ pages }) => {
    if (pages <= 80 || kills === 1) return;
    kills++;
    for (const victim of victims) void crawl.killWorker(victim);
  });
  const summary = await crawl.run();
  assert.ok(kills > 0, "nobody was killed");
  assert.ok(replaced.length > 0, "nobody was replaced");
  assert.deepEqual([summary.ended, summary.pages], ["finished", web.truth().reachable]);
  const urls = readPages(out).map(({ url }) => url);
  assert.equal(new Set(urls).size, summary.pages);
}

/** A builder dies while a crawl ends: by an interrupt, so that pages are on their way, or by itself, so that files are being closed. */
export async function endWithoutBuilder(
  t: TestContext,
  ending: "interrupted" | "finished",
  here?: BuildHere,
): Promise<void> {
  const web = await startWeb({
    profile: { ...PROFILES.small, pages: 400, hosts: 6 },
    latencyMs: 20,
  });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const threads = here === undefined ? 2 : 1;
  const settings = checkSettings({
    seeds: [...web.start],
    threads,
    delayMs: 0,
    // Slow enough to be met in its middle.
    linksPerThread: 8,
  });
  const config = configFrom(settings, { typed: web.start });
  const crawl = new CheckedCrawl(config, out, false, undefined, here);
  const replaced: string[] = [];
  let isStopped = false;
  crawl.events.on("workerReplaced", (name) => replaced.push(name));
  if (ending === "interrupted") {
    crawl.events.on("progress", ({ pages }) => {
      if (pages <= 20 || isStopped) return;
      isStopped = true;
      crawl.stop();
      void crawl.killWorker("builder 0");
    });
  } else {
    const { reachable } = web.truth();
    const look = () => {
      if (crawl.progress().pages < reachable) setImmediate(look);
      else void crawl.killWorker("builder 0");
    };
    crawl.events.once("progress", look);
  }
  const summary = await crawl.run();
  assert.equal(summary.ended, ending);
  assert.ok(replaced.includes("builder 0"), "the builder was not replaced");
  assert.deepEqual(
    readdirSync(join(out, "archive")).filter((name) => name.endsWith(".open")),
    [],
    "a file was left open",
  );
  const resumed = await new CheckedCrawl(config, out, true).run();
  assert.deepEqual([resumed.ended, resumed.pages], ["finished", web.truth().reachable]);
  assert.deepEqual(recoverFolder(out, FACTS).damages, []);
}
