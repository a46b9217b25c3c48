import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, type Lease } from "../../src/frontier/host.ts";
import { OwnedSiteBudget, SharedSiteBudget, siteKey } from "../../src/frontier/site-budget.ts";
import { SiteTable, siteTableBytes } from "../../src/sync/site-table.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

const SEEDS = { seedLow: 5, seedHigh: 6 };

function leaseOf(hostname: string): Lease {
  return {
    ...{ url: `http://${hostname}/` as CrawlUrl, parent: undefined, depth: 0, via: "link" },
    ...{ seed: false, chain: [], shard: 0, low: 0, high: 0, attempt: 0 },
    host: new Host(hostname, 0, 0),
  };
}

function ownedBudget() {
  const pages = new Map<string, number>();
  return new OwnedSiteBudget({
    ...SEEDS,
    limitOf: () => 2,
    pagesOf: () => pages,
    count: (_shard, low, high) => {
      const key = siteKey(low, high);
      pages.set(key, (pages.get(key) ?? 0) + 1);
    },
  });
}

const sharedBudget = () =>
  new SharedSiteBudget(new SiteTable(new SharedArrayBuffer(siteTableBytes(4)), 2), SEEDS);

for (const [name, newBudget] of [
  ["of an owner", ownedBudget],
  ["in shared memory", sharedBudget],
] as const) {
  test(`a place in a budget ${name} is free again when no page came`, () => {
    const budget = newBudget();
    const [a, b, c] = ["www.s.test", "m.s.test", "s.test"].map(leaseOf) as [Lease, Lease, Lease];
    const other = leaseOf("other.test");
    assert.deepEqual(
      [a, b, c].map((lease) => budget.tryReserve(lease)),
      [true, true, false],
    );
    budget.giveBack(a);
    // A second time changes nothing: it holds no place any more.
    budget.giveBack(a);
    assert.equal(budget.tryReserve(c), true);
    assert.equal(budget.tryReserve(a), false);
    budget.page(b);
    budget.page(c);
    assert.deepEqual([budget.tryReserve(a), budget.tryReserve(other)], [true, true]);
    assert.deepEqual([a.budget, other.budget], ["spent", "held"]);
  });
}
