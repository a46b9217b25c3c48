import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CORRECT_TECHNIQUES } from "../../src/frontier/shared/techniques/record-queue.ts";
import { noConformance } from "../support/conformance.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { SITES, unpackSite } from "../support/sites.ts";
import { crawlSite } from "./site-crawl.ts";

for (const name of SITES) {
  test(`${name}: every correct technique, exactly the truth`, {
    skip: noConformance,
  }, async (t) => {
    const folder = tempFolder(t);
    const site = unpackSite(name, folder);
    const out = join(folder, "out");
    for (const technique of CORRECT_TECHNIQUES) {
      for (const threads of [1, 2, 4, 8]) {
        await t.test(`${technique}, T = ${threads}`, async () => {
          const args = ["--frontier", "shared", "--sync", technique, "--frontier-size", "30"];
          await crawlSite(site, out, { threads, links: 16, args });
          rmSync(out, { recursive: true });
        });
      }
    }
  });
}
