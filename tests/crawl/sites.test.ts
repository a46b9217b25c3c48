import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { noConformance } from "../support/conformance.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { unpackSite } from "../support/sites.ts";
import { crawlSite } from "./site-crawl.ts";

test("a real site: every reachable page exactly once", { skip: noConformance }, async (t) => {
  const folder = tempFolder(t);
  const site = unpackSite("sqlite3", folder);
  for (const [threads, links] of [
    [1, 1],
    [2, 16],
    [4, 64],
  ] as const) {
    await crawlSite(site, join(folder, `out-${threads}-${links}`), { threads, links });
  }
});

test("the same site under 8 host names: threads exchange links, requests overlap", {
  skip: noConformance,
}, async (t) => {
  const folder = tempFolder(t);
  const site = unpackSite("sqlite3", folder);
  const out = join(folder, "out");
  const options = { threads: 2, links: 16, spread: 8, latencyMs: 3 };
  const report = await crawlSite(site, out, options);
  assert.ok(report.foreignBlocks! > 0, "no block travelled between threads");
  assert.ok(report.maxInFlight! >= 16, `only ${report.maxInFlight} requests in flight at once`);
});
