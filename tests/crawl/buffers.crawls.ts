import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readLines, readPages } from "../support/orbweaver.ts";
import { crawlOf, ENDS } from "./buffered-crawl.ts";

interface FlowLine {
  readonly buffers: readonly { readonly added: number; readonly removed: number }[];
}

for (const [handOff, bufferSize, threads, builders] of [
  ["full", 7, 3, 2],
  ["full", 1000, 2, 1],
  ["count-or-time", 1, 1, 2],
  ["count-or-time", 1000, 1, 0],
  ["count-or-time", 2, 3, 0],
  ["full", 5, 2, 0],
] as const) {
  const shape = `${threads} crawlers, ${builders} builders, N = ${bufferSize}`;
  test(`${handOff}: a small crawl ends and nothing is lost with ${shape}`, ENDS, async (t) => {
    const web = await startWeb({ profile: { ...PROFILES.small, pages: 80, hosts: 5 } });
    t.after(() => web.close());
    const parts = { handOff, bufferSize, threads, builders };
    const { crawl, out } = crawlOf(t, web.start, parts);
    const { ended, pages } = await crawl.run();
    assert.deepEqual([ended, pages], ["finished", web.truth().reachable]);
    assert.equal(new Set(readPages(out).map(({ url }) => url)).size, pages);
    const flow = readLines<FlowLine>(join(out, "reports/hourly_statistics.jsonl")).at(-1)!;
    assert.equal(
      flow.buffers.length,
      builders === 0 ? threads : Math.max(builders, Math.ceil(threads / 2)),
    );
    for (const { added, removed } of flow.buffers) assert.equal(added, removed);
    const through = flow.buffers.reduce((sum, { removed }) => sum + removed, 0);
    assert.equal(through, pages, "records that are no pages are not counted");
  });
}
