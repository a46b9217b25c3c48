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
