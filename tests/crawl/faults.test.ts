import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { Crawl } from "../../src/crawl/crawl.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";

// Crawlers alone: deaths.test.ts.
for (const victim of ["builder 0"]) {
  test(`when ${victim} dies it is replaced and nothing is lost`, async (t) => {
    const profile = { ...PROFILES.small, pages: 700, hosts: 6 };
    const web = await startWeb({ profile, latencyMs: 2 });
    t.after(() => web.close());
    const out = join(tempFolder(t), "out");
    const settings = checkSettings({
      seeds: [...web.start],
      threads: 2,
      delayMs: 0,
      maxUncommitted: 64,
    });
    const crawl = new Crawl(configFrom(settings, { typed: web.start }), out);
    const replaced: string[] = [];
    let kills = 0;
    crawl.events.on("workerReplaced", (name) => replaced.push(name));
    crawl.events.on("progress", ({ pages }) => {
      if (pages > 100 * (kills + 1) && kills < 2) {
        kills++;
        void crawl.killWorker(victim);
      }
    });
    const summary = await crawl.run();
    assert.equal(summary.ended, "finished");
    assert.equal(summary.pages, web.truth().reachable);
    // One that is struck while it is being replaced anyway dies once.
    assert.ok(replaced.length > 0 && replaced.length <= kills, `${replaced.length} of ${kills}`);
    const urls = readPages(out).map(({ url }) => url);
    assert.equal(new Set(urls).size, summary.pages);
  });
}

test("a worker that dies again and again without a page in between ends the crawl with an error", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 50 }, latencyMs: 60_000 });
  t.after(() => web.close());
  const settings = checkSettings({ seeds: [...web.start], threads: 1, delayMs: 0 });
  const crawl = new Crawl(configFrom(settings, { typed: web.start }), join(tempFolder(t), "out"));
  crawl.events.on("progress", () => void crawl.killWorker("crawler 0"));
  await assert.rejects(crawl.run(), { code: "OW_WORKER_DIED", exitCode: 1 });
});
