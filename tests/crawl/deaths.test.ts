import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { Crawl } from "../../src/crawl/crawl.ts";
import { countAnew } from "../../src/crawl/recount.ts";
import { Control, createMemory, MODES } from "../../src/crawl/shared-memory.ts";
import { recoverFolder } from "../../src/store/recover.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";

const FACTS = { seconds: 1, threads: 2, buffers: 1, endedBy: "a test" };

/** At once in either order (one at a time: the drill `deaths`): the one that dies second is in the middle of helping the first. */
for (const victims of [
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

/** By an interrupt, so that pages are on their way, or by the end of the crawl, so that files are being closed. */
for (const ending of ["interrupted", "finished"]) {
  test(`a builder that dies while a crawl ends (${ending}) is replaced, and the crawl ends well`, async (t) => {
    const web = await startWeb({
      profile: { ...PROFILES.small, pages: 400, hosts: 6 },
      latencyMs: 5,
    });
    t.after(() => web.close());
    const out = join(tempFolder(t), "out");
    const settings = checkSettings({ seeds: [...web.start], threads: 2, delayMs: 0 });
    const config = configFrom(settings, { typed: web.start });
    const crawl = new Crawl(config, out);
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
    const resumed = await new Crawl(config, out, true).run();
    assert.deepEqual([resumed.ended, resumed.pages], ["finished", web.truth().reachable]);
    assert.deepEqual(recoverFolder(out, FACTS).damages, []);
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
