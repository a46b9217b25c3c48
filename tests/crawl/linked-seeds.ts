import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import type { Technique } from "../../src/frontier/shared/techniques/record-queue.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { readLog, tempFolder } from "../support/orbweaver.ts";

const THREADS = 4;
const SEEDS = 12;
const PAGES = 24;

/**
 * Crawls a site in which every page links to all pages, the first half of them seeds, with each technique:
 * whoever is quick finds another thread's seeds as links. All pages must be fetched once, and the crawl must end.
 */
export async function crawlLinkedSeeds(
  t: TestContext,
  techniques: readonly Technique[],
  rounds: number,
): Promise<void> {
  const requests = new Map<string, number>();
  const paths = Array.from({ length: PAGES }, (_, page) => `/page-${page}`);
  const body = paths.map((path) => `<a href="${path}">${path}</a>`).join("\n");
  const server = createServer((request, response) => {
    const path = request.url!;
    requests.set(path, (requests.get(path) ?? 0) + 1);
    response.writeHead(path === "/robots.txt" ? 404 : 200, { "content-type": "text/html" });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const typed = paths.slice(0, SEEDS).map((path) => origin + path);
  for (let round = 0; round < rounds; round++) {
    for (const [number, sync] of techniques.entries()) {
      requests.clear();
      const out = join(tempFolder(t), "out");
      const visited = (number + round) % 2 === 0 ? "cas" : "striped";
      const settings = { frontier: "shared", sync, frontierSize: 5, visited } as const;
      const rules = checkSettings({ seeds: typed, threads: THREADS, delayMs: 0, ...settings });
      const summary = await new CheckedCrawl(configFrom(rules, { typed }), out).run();
      const what = `${sync}, ${visited}, round ${round}`;
      assert.deepEqual(
        [summary.ended, summary.pages, summary.urlsKnown],
        ["finished", PAGES, PAGES],
        what,
      );
      assert.deepEqual(
        paths.map((path) => requests.get(path)),
        paths.map(() => 1),
        what,
      );
      assert.equal(readLog(out).length, PAGES, what);
    }
  }
}
