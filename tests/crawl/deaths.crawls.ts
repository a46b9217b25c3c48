import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { Control, createMemory, MODES } from "../../src/crawl/shared-memory.ts";
import { setCounters } from "../../src/crawl/workers/replace-crawlers.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { endWithoutBuilder, surviveDeaths } from "./dying-workers.ts";

// Alone, in other orders, and after an interrupt: deaths.conformance.ts.
test("when a builder and both its crawlers die at once they are replaced and nothing is lost", (t) =>
  surviveDeaths(t, ["builder 0", "crawler 0", "crawler 1"]));

test("a builder that dies while a crawl ends is replaced, and the crawl ends well", (t) =>
  endWithoutBuilder(t, "finished"));

test("a worker that dies while the threads are being started is replaced", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 100 }, latencyMs: 1 });
  t.after(() => web.close());
  const settings = checkSettings({ seeds: [...web.start], threads: 2, delayMs: 0 });
  const crawl = new CheckedCrawl(
    configFrom(settings, { typed: web.start }),
    join(tempFolder(t), "out"),
  );
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
  setCounters(control, 2, two, 1, 10);
  assert.deepEqual(
    [control.pending.value, control.pagesCommitted, control.permits.left, control.mode],
    [8, 8, 1, MODES.run],
  );
  setCounters(control, 3, two, 1, 10);
  assert.equal(control.permits.left, 0, "a third thread is dead, and its pages are not known");
  setCounters(control, 1, [{ share: 5, pages: 10 }], 1, 10);
  assert.deepEqual([control.mode, control.endedBy], [MODES.drain, "limit"]);
});

test("a worker that dies again and again without a page in between ends the crawl with an error", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 50 }, latencyMs: 60_000 });
  t.after(() => web.close());
  const settings = checkSettings({ seeds: [...web.start], threads: 1, delayMs: 0 });
  const crawl = new CheckedCrawl(
    configFrom(settings, { typed: web.start }),
    join(tempFolder(t), "out"),
  );
  crawl.events.on("progress", () => void crawl.killWorker("crawler 0"));
  await assert.rejects(crawl.run(), { code: "OW_WORKER_DIED", exitCode: 1 });
});
