import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "../../../src/frontier/frontier.ts";
import { OUTCOME } from "../../../src/frontier/frontier.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { engineTeam, openTeam } from "../frontier-team.ts";

const DELAY_MS = 1000;
const TURN_MS = 10;
const page = (host: string, number: number) => `http://${host}.test/${number}`;

/** One thread that orders by cash, on a model of the engine. */
function crawlBy(ahead: number, supersteps: boolean) {
  const team = engineTeam({
    ...{ threads: 1, slots: 64, order: "opic", delayMs: DELAY_MS, perHost: 1 },
    ...{ ahead, supersteps },
  });
  openTeam(team, [page("a", 0)]);
  const { frontier, port } = team.members[0]!;
  let nowMs = 0;
  /** Rounds until this moment. */
  const goOn = (untilMs: number) => {
    for (; nowMs <= untilMs; nowMs += TURN_MS) {
      frontier.turn(nowMs, "run");
      port.sync();
    }
  };
  const take = (atMs: number, limit = 8) => {
    goOn(atMs);
    return frontier.take(limit, atMs);
  };
  const end = (lease: Lease, links: readonly string[]) => {
    frontier.requestEnded(lease, nowMs);
    const found = links.map((url) => ({
      ...{ url: url as CrawlUrl, parent: lease.url, depth: lease.depth + 1 },
      ...{ via: "link" as const, seed: false, chain: [] },
    }));
    frontier.settle(lease, {
      ...{ kind: "finish", outcome: OUTCOME.page, found, links: found.length },
      ...{ record: undefined, onCommitted: () => {} },
    });
    goOn(nowMs);
  };
  return { frontier, take, end };
}

/** Whether a page of host a is asked next when another host's page lifts it while the host waits. */
function isOvertaken(ahead: number, supersteps: boolean): boolean {
  const { take, end } = crawlBy(ahead, supersteps);
  const pages = [1, 2, 3, 4].map((number) => page("a", number));
  end(take(0)[0]!, [...pages, page("b", 0)]);
  const [other] = take(300);
  assert.equal(other?.url, page("b", 0));
  const [first] = take(DELAY_MS + 100);
  assert.ok(pages.includes(first!.url));
  end(first!, []);
  const lifted = pages.findLast((url) => url !== first!.url)!;
  end(other, [lifted]);
  assert.deepEqual(take(2 * DELAY_MS), []);
  const [second] = take(2 * DELAY_MS + 500);
  assert.ok(second !== undefined);
  return second.url === lifted;
}

for (const supersteps of [false, true]) {
  const how = supersteps ? ", in supersteps" : "";

  test(`by cash a host's next page is chosen when its delay is half over${how}`, () => {
    assert.equal(isOvertaken(1, supersteps), true);
  });

  test(`pages that are fetched ahead are not overtaken${how}`, () => {
    assert.equal(isOvertaken(2, supersteps), false);
  });
}

test("the host of a page that rests goes on with another", () => {
  const { frontier, take, end } = crawlBy(1, false);
  end(take(0)[0]!, [page("a", 1), page("a", 2)]);
  const [first] = take(DELAY_MS + 100);
  frontier.requestEnded(first!, DELAY_MS + 100);
  frontier.settle(first!, { kind: "retry", untilMs: 60_000, rests: true });
  const [second] = take(3 * DELAY_MS);
  assert.ok(second !== undefined && second.url !== first!.url);
  end(second, []);
  assert.deepEqual(
    take(61_000).map(({ url }) => url),
    [first!.url],
  );
});

test("a crawl that gives up waiting gets the pages that were not fetched yet", () => {
  const { frontier, take, end } = crawlBy(1, false);
  const pages = [1, 2, 3, 4].map((number) => page("a", number));
  end(take(0)[0]!, pages);
  end(take(DELAY_MS + 100)[0]!, []);
  const given = new Set<string>();
  for (let round = 1; round <= 10; round++) {
    for (const lease of frontier.drain()) {
      given.add(lease.url);
      frontier.settle(lease, { kind: "abandon" });
    }
    // Sooner than the next page would be chosen.
    take(DELAY_MS + 100 + 2 * TURN_MS * round, 0);
  }
  assert.equal(given.size, 3);
});
