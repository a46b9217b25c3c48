import assert from "node:assert/strict";
import { test } from "node:test";
import { openVisitedSet, visitedSetBytes } from "../../src/frontier/sets/open-set.ts";
import { SharedFrontier } from "../../src/frontier/shared.ts";
import { createFrontier, openFrontier } from "../../src/frontier/strategies/open-frontier.ts";
import { Pending } from "../../src/sync/pending.ts";
import { type CrawlUrl, canonicalize } from "../../src/url/crawl-url.ts";

const shape = { size: 4, slotBytes: 512 };
const set = { maxUrls: 64, maxUrlBytes: 200, seedLow: 1, seedHigh: 2, mayBlock: false };

/** Two threads of one crawl, and what happens to its counter. */
function twoThreads() {
  const memory = createFrontier("lock-free", shape);
  const visited = new SharedArrayBuffer(visitedSetBytes("cas", set));
  const pending = new Pending(new Int32Array(new SharedArrayBuffer(4)), 0);
  let ended = 0;
  const [first, second] = [1, 2].map(
    (owner) =>
      new SharedFrontier({
        frontier: openFrontier("lock-free", memory, shape, owner),
        visited: openVisitedSet("cas", visited, set, owner),
        taken: undefined,
        pending,
        delayMs: 0,
        maxHeld: 10,
        seedLow: 1,
        seedHigh: 2,
        onLast: () => ended++,
        wakeOthers: () => {},
        onTaken: () => {},
        countsFrontier: owner === 1,
      }),
  );
  return { first: first!, second: second!, pending, ended: () => ended };
}

const url = (text: string): CrawlUrl => canonicalize(text)!;

test("a seed that another thread found first is fetched once, and the crawl still ends", () => {
  const { first, second, pending, ended } = twoThreads();
  const [a, b] = [url("http://a.test/"), url("http://b.test/")];
  pending.add(2);
  first.admitSeeds([a]);
  const [lease] = first.takeMany(10, 0);
  first.offerMany([{ url: b, parent: a, depth: 1, via: "link", seed: false, chain: [] }]);
  first.commitMany(1);
  // Only now the second thread has started.
  second.admitSeeds([b]);
  first.flush();
  const taken = [...first.takeMany(10, 0), ...second.takeMany(10, 0)];
  assert.deepEqual([lease!.url, ...taken.map((one) => one.url)], [a, b]);
  assert.deepEqual([pending.value, ended()], [1, 0]);
  first.commitMany(1);
  assert.deepEqual([pending.value, ended()], [0, 1]);
});
