import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";

const PAGES = 1500;
const PAGES_BEFORE = 60;

/** A crawl with one crawler thread gets a builder thread in its middle, and workers die at once or later. */
async function takeOver(
  t: TestContext,
  victims: readonly string[],
  pagesAtDeath = PAGES_BEFORE,
): Promise<{ readonly archives: number; readonly replaced: readonly string[] }> {
  const web = await startWeb({
    profile: { ...PROFILES.small, pages: PAGES, hosts: 6 },
    latencyMs: 2,
  });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const settings = checkSettings({
    seeds: [...web.start],
    threads: 1,
    delayMs: 0,
    maxUncommitted: 64,
  });
  const crawl = new CheckedCrawl(configFrom(settings, { typed: web.start }), out);
  const replaced: string[] = [];
  let isAsked = false;
  const alive = new Set(victims);
  crawl.events.on("workerReplaced", (name) => replaced.push(name));
  crawl.events.on("progress", ({ pages }) => {
    if (pages > PAGES_BEFORE && !isAsked) {
      isAsked = true;
      crawl.addBuilder();
    }
    if (!isAsked || pages <= pagesAtDeath) return;
    // A builder thread that is still to come cannot die yet: it is tried again at the next look.
    for (const victim of alive) {
      alive.delete(victim);
      void crawl.killWorker(victim).then((isKilled) => {
        if (!isKilled) alive.add(victim);
      });
    }
  });
  const summary = await crawl.run();
  assert.ok(isAsked && alive.size === 0, "the crawl was too short");
  assert.deepEqual([summary.ended, summary.pages], ["finished", web.truth().reachable]);
  const urls = readPages(out).map(({ url }) => url);
  assert.equal(new Set(urls).size, summary.pages);
  return { archives: readdirSync(join(out, "archive")).length, replaced };
}

test("a builder thread takes over from a builder beside its crawler, and nothing is lost", async (t) => {
  const { archives, replaced } = await takeOver(t, []);
  assert.deepEqual([archives, replaced], [2, []]);
});

test("a crawler that dies while it hands over loses nothing", async (t) => {
  const { replaced } = await takeOver(t, ["crawler 0"]);
  assert.deepEqual(replaced, ["crawler 0"]);
});

test("a builder thread that took over can die like any other", async (t) => {
  const { archives, replaced } = await takeOver(t, ["builder 0"], 200);
  assert.deepEqual(replaced, ["builder 0"]);
  assert.ok(archives >= 3);
});
