import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readRecords } from "../support/archive.ts";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";
import { checkLists } from "../support/result-lists.ts";

const KILLS = Number(process.env.ORBWEAVER_KILLS ?? 200);

/** A number from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`${KILLS} times kill -9 at a random instant, of recover too: archive, index and lists stay whole`, async (t) => {
  const seed = Number(process.env.ORBWEAVER_SEED ?? Date.now() % 1e6);
  t.diagnostic(`ORBWEAVER_SEED=${seed}`);
  const random = randomFrom(seed);
  const web = await startWeb({
    profile: { ...PROFILES.small, pages: 400, errorRate: 0.05 },
    latencyMs: 20,
  });
  t.after(() => web.close());
  const flags = ["--json", "--quiet"];
  const crawlFlags = [
    "--delay",
    "0",
    "--links-per-thread",
    "8",
    "--sync-every",
    "20ms",
    "--rotate-pages",
    "40",
  ];
  const stores = ["warc", "tree", "warc,tree"];
  let crawls = seed;
  let out = "";
  let captures = 0;
  const killed = (args: string[], withinMs: number) =>
    orbweaver(args, async (kill) => {
      await sleep(random() * withinMs);
      kill("SIGKILL");
    });
  for (let kills = 0; kills < KILLS; kills++) {
    const isNew = out === "";
    if (isNew) {
      out = join(tempFolder(t), "out");
      crawls++;
    }
    const store = ["--store", stores[crawls % stores.length]!];
    const start = isNew
      ? ["crawl", ...web.start, "--out", out, ...crawlFlags, ...store]
      : ["resume", out];
    const { code } = await killed([...start, ...flags], 2500);
    // Killed before there was a crawl: the next run starts again.
    if (!existsSync(crawlPaths(out).state)) {
      out = "";
      continue;
    }
    if (kills % 4 === 3) await killed(["recover", out], 400);
    const recovered = await orbweaver(["recover", out, "--json"]);
    assert.equal(recovered.code, 0, recovered.stdout + recovered.stderr);
    const found = JSON.parse(recovered.stdout);
    assert.ok(found.captures >= captures, "a committed capture is gone");
    assert.equal(found.unnamed, 0);
    captures = found.captures;
    checkLists(out);
    assert.ok(readRecords(join(out, "archive")).every(({ problems }) => problems.length === 0));
    const urls = readPages(out).map(({ url }) => url);
    assert.equal(new Set(urls).size, urls.length);
    if (code !== 0) continue;
    out = "";
    captures = 0;
  }
});
