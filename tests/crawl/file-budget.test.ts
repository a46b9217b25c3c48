import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { extraFiles, fitToOpenFiles, mostLinksPerThread } from "../../src/crawl/file-budget.ts";

const seeds = ["http://127.0.0.1:1/"];
const common = { seeds, threads: 4, delayMs: 0 };
const asked = configFrom(checkSettings({ ...common, linksPerThread: 64 }), { typed: seeds });

test("threads and links per thread give way to the files that may be open, and never to more than was asked for", () => {
  assert.deepEqual(fitToOpenFiles(asked, 1024), { config: asked, note: undefined });
  let before = 0;
  for (const most of [64, 100, 200, 400]) {
    const { config, note } = fitToOpenFiles(asked, most);
    assert.ok(config.threads <= 4 && config.linksPerThread <= 64);
    const links = config.threads * config.linksPerThread;
    assert.equal(config.perHost, links);
    assert.ok(links > before, `${most} files, ${links} links`);
    // One socket in flight and one that is kept, beside the journals of 16 shards and 19 files of Node itself.
    assert.ok(2 * links + 16 + 19 < most);
    assert.match(note ?? "", new RegExp(`^only ${most} files may be open: `));
    before = links;
  }
  assert.throws(() => fitToOpenFiles(asked, 50), { code: "OW_USAGE", message: /50 files/ });
});

test("what a fitted crawl may have open beside is what it does not need", () => {
  const { config: fitted } = fitToOpenFiles(asked, 120);
  assert.equal(extraFiles(fitted, 120), 0);
  const [few, many] = [extraFiles(fitted, 1000), extraFiles(fitted, 1000 + fitted.threads)];
  assert.ok(few > 0);
  assert.equal(many, few + 1);
});

test("links that adapt begin with 64 and use half of the files that are left", () => {
  const adaptive = configFrom(checkSettings(common), { typed: seeds });
  assert.deepEqual([adaptive.linksPerThread, adaptive.adaptsLinks], [64, true]);
  assert.equal(mostLinksPerThread(asked, 20_000), 64, "a number that was given is kept");
  assert.equal(mostLinksPerThread(adaptive, 20_000), 1024);
  const some = mostLinksPerThread(adaptive, 1024);
  assert.ok(some > 64 && 2 * 4 * some < 1024, `${some} links in each of 4 threads`);
  assert.ok(extraFiles(adaptive, 1024) > 0, "the other half is for connections and recovery");
  const { config: fitted } = fitToOpenFiles(adaptive, 120);
  assert.equal(mostLinksPerThread(fitted, 120), fitted.linksPerThread);
});
