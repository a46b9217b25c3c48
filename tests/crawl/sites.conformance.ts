import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noConformance } from "../support/conformance.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { SITES, unpackSite } from "../support/sites.ts";
import { crawlSite } from "./site-crawl.ts";

const THREADS = [1, 2, 4];
const LINKS = [1, 16, 64];

for (const name of SITES) {
  test(`${name}: exactly the truth, for every T and L`, { skip: noConformance }, async (t) => {
    const folder = tempFolder(t);
    const site = unpackSite(name, folder);
    const out = join(folder, "out");
    for (const threads of THREADS) {
      for (const links of LINKS) {
        await t.test(`T = ${threads}, L = ${links}`, async () => {
          await crawlSite(site, out, { threads, links });
          rmSync(out, { recursive: true });
        });
      }
    }
    for (const threads of [2, 4]) {
      for (const links of LINKS) {
        await t.test(`8 host names, T = ${threads}, L = ${links}`, async () => {
          const options = { threads, links, spread: 8, latencyMs: 3 };
          const report = await crawlSite(site, out, options);
          rmSync(out, { recursive: true });
          assert.ok(report.foreignBlocks! > 0, "no block travelled between threads");
          const inFlight = report.maxInFlight!;
          assert.ok(inFlight >= Math.min(links, 16), `only ${inFlight} requests in flight at once`);
        });
      }
    }
  });
}
