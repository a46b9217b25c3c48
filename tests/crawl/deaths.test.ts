import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { Crawl } from "../../src/crawl/crawl.ts";
import { countAnew } from "../../src/crawl/recount.ts";
import { Control, createMemory, MODES } from "../../src/crawl/shared-memory.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";

/** Alone, or at once in either order: the one that dies second is in the middle of helping the first. */
for (const victims of [
  ["crawler 1"],
  ["builder 0"],
  ["crawler 0", "builder 0"],
  ["builder 0", "crawler 0", "crawler 1"],
]) {
  test(`when ${victims.join(" and ")} die they are replaced and nothing is lost`, async (t) => {
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
  });
}

test("a worker that dies while the crew is being started is replaced", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 100 }, latencyMs: 1 });
  t.after(() => web.close());
  const settings = checkSettings({ seeds: [...web.start], threads: 2, delayMs: 0 });
  const crawl = new Crawl(configFrom(settings, { typed: web.start }), join(tempFolder(t), "out"));
  crawl.events.once("started", () => setImmediate(() => void crawl.killWorker("crawler 1")));
  const { ended, pages } = await crawl.run();
  assert.deepEqual([ended, pages], ["finished", web.truth().reachable]);
});

test("a limit that a dead thread has reached ends the crawl when it is counted", () => {
  const control = new Control(createMemory({ threads: 1, builders: 1 }));
  const two = [
    { share: 5, pages: 6 },
    { share: 2, pages: 2, heldPermits: 1 },
  ];
  countAnew(control, 2, two, 1, 10);
  assert.deepEqual(
    [control.pending.value, control.pagesCommitted, control.permits.left, control.mode],
    [8, 8, 1, MODES.run],
  );
  countAnew(control, 3, two, 1, 10);
  assert.equal(control.permits.left, 0, "a third thread is dead, and its pages are not known");
  countAnew(control, 1, [{ share: 5, pages: 10 }], 1, 10);
  assert.deepEqual([control.mode, control.endedBy], [MODES.drain, "limit"]);
});

test("a worker that dies again and again without a page in between ends the crawl with an error", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 50 }, latencyMs: 60_000 });
  t.after(() => web.close());
  const settings = checkSettings({ seeds: [...web.start], threads: 1, delayMs: 0 });
  const crawl = new Crawl(configFrom(settings, { typed: web.start }), join(tempFolder(t), "out"));
  crawl.events.on("progress", () => void crawl.killWorker("crawler 0"));
  await assert.rejects(crawl.run(), { code: "OW_WORKER_DIED", exitCode: 1 });
});
