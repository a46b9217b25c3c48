import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startWebProcess } from "../../src/web/web-process.ts";
import { conformanceFile, conformanceJson, noConformance } from "../support/conformance.ts";
import { crawlAll } from "./tiny-crawler.ts";

interface SiteTruth {
  start: string;
  pages_list: string[];
  reachable: number[];
  missing: string[];
}

const pathsOf = (urls: Iterable<string>): string[] =>
  [...urls].map((url) => new URL(url).pathname).sort();

for (const site of ["sqlite3", "postgresql15", "cppreference"]) {
  for (const spread of [undefined, 8]) {
    const how = spread ? `spread over ${spread} hosts` : "on one host";
    test(`${site} ${how}: served pages and missing ones are exactly the truth's`, {
      skip: noConformance,
    }, async () => {
      const truth = conformanceJson<SiteTruth>(`sites/${site}.truth.json.gz`);
      const dir = mkdtempSync(join(tmpdir(), "orbweaver-site-"));
      try {
        execFileSync("tar", ["xJf", conformanceFile(`sites/${site}.tar.xz`), "-C", dir]);
        const web = await startWebProcess({ dir, ...(spread && { spread }) });
        try {
          assert.equal(new URL(web.start[0]!).pathname, truth.start);
          const own = await web.truth();
          assert.equal(own.reachable, truth.reachable.length);
          assert.equal(own.pages, truth.pages_list.length);
          // All hosts are in scope; those that are not the start get a path that redirects to it.
          const start = [...web.start, ...own.hosts.map((host) => `http://${host}${truth.start}`)];
          const found = await crawlAll(start, web.port);
          const expected = truth.reachable.map((index) => truth.pages_list[index]!);
          assert.deepEqual(pathsOf(found.pages.keys()), expected.sort());
          // The truth also lists what only unreachable pages link to: no crawl can meet that.
          const listed = new Set(truth.missing);
          const missing = pathsOf(found.missing);
          assert.deepEqual(
            missing.filter((path) => !listed.has(path)),
            [],
          );
          assert.equal(missing.length, own.missing);
          assert.equal(new Set(missing).size, missing.length);
          const report = await web.report();
          assert.deepEqual([report.pages, report.repeated], [expected.length, 0]);
        } finally {
          await web.close();
        }
      } finally {
        rmSync(dir, { recursive: true });
      }
    });
  }
}

test("cnr-2000 is served whole: every node is reachable from the first", {
  skip: noConformance,
}, async () => {
  const facts = conformanceJson<{ nodes: number; reach_from_0: number }>(
    "webgraph/cnr-2000.facts.json",
  );
  const graph = conformanceFile("webgraph/cnr-2000.graph-txt.gz");
  for (const hosts of [1, 50]) {
    const web = await startWebProcess({ graph, hosts });
    try {
      const truth = await web.truth();
      assert.deepEqual([truth.pages, truth.reachable], [facts.nodes, facts.reach_from_0]);
      assert.equal(truth.hosts.length, hosts);
    } finally {
      await web.close();
    }
  }
});
