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
  // All sites, threads and links in flight: sites.conformance.ts.
  await crawlSite(site, join(folder, "out"), { threads: 2, links: 16 });
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
