import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { Crawl } from "../../src/crawl/crawl.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readRecords } from "../support/archive.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";

for (const victim of ["crawler 1", "builder 0"]) {
  test(`when ${victim} dies the crawl ends with an error and valid files`, async (t) => {
    const web = await startWeb({ profile: { ...PROFILES.small, pages: 2000 }, latencyMs: 2 });
    t.after(() => web.close());
    const out = join(tempFolder(t), "out");
    const settings = checkSettings({ seeds: [...web.start], threads: 2, delayMs: 0 });
    const crawl = new Crawl(configFrom(settings, { typed: web.start }), out);
    let killed: Promise<boolean> | undefined;
    crawl.events.on("progress", ({ pages }) => {
      if (pages > 0) killed ??= crawl.killWorker(victim);
    });
    await assert.rejects(crawl.run(), { code: "OW_WORKER_DIED", exitCode: 1 });
    assert.equal(await killed, true);
    if (victim === "builder 0") return; // its open file is what `recover` is for
    const records = readRecords(join(out, "archive"));
    assert.deepEqual(
      records.flatMap(({ problems }) => problems),
      [],
    );
    const stored = new Set(records.filter(({ type }) => type === "response").map((r) => r.uri));
    const pages = readPages(out);
    assert.ok(pages.length > 0 && pages.length < 2000);
    for (const { url } of pages) assert.ok(stored.has(url), `${url} is not in the archive`);
    assert.ok(existsSync(join(out, "reports/summary.json")), "reports are written all the same");
  });
}
