import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Host } from "../../../src/frontier/host.ts";
import { ReadyHosts } from "../../../src/frontier/shard/ready-hosts.ts";
import { SiteShares } from "../../../src/frontier/site-shares.ts";

const PLACES = 8;
const SHARE = 2;

/** Hosts of three sites, all with something to fetch. */
function newHosts(shares: SiteShares, times: readonly number[]): Host[] {
  return times.map((nextMs, i) => {
    const host = new Host(`h${i}.site${i % 3}.test`, i, 0);
    host.nextMs = nextMs;
    host.site = shares.of(host.name);
    shares.waits(host.site);
    return host;
  });
}

test("hosts come by their time, no site beyond its share, and with every place that gets free the next one", () => {
  const times = fc.array(fc.nat(20), { minLength: 3, maxLength: 40 });
  fc.assert(
    fc.property(times, fc.infiniteStream(fc.nat(1000)), (some, choices) => {
      const choose = (bound: number) => choices.next().value! % bound;
      const shares = new SiteShares(PLACES);
      const ready = new ReadyHosts(shares);
      for (const host of newHosts(shares, some)) ready.place(host);
      const held: Host[] = [];
      const came = new Set<Host>();
      for (let nowMs = 0; nowMs < 400; nowMs++) {
        shares.nowMs = nowMs;
        for (let host = ready.first(nowMs); host !== undefined; host = ready.first(nowMs)) {
          assert.ok(host.nextMs <= nowMs && !came.has(host));
          assert.ok(host.site!.held < SHARE || shares.active === 1);
          ready.remove(host);
          came.add(host);
          held.push(host);
          shares.hold(host.site!);
        }
        if (held.length === 0) continue;
        const [host] = held.splice(choose(held.length), 1);
        shares.waitsNoMore(host!.site!);
        if (shares.leave(host!.site!)) ready.comeBack(host!.site!);
      }
      assert.equal(came.size, some.length, "nobody is forgotten");
      assert.equal(ready.any(), undefined);
    }),
    { numRuns: 100 },
  );
});

test("parked hosts are lent first, and wake nobody before their site is alone", () => {
  const shares = new SiteShares(4, 0);
  const ready = new ReadyHosts(shares);
  const [first, second, third, other] = newHosts(shares, [0, 50, 50, 0]);
  const mates = [first!, other!];
  for (const host of mates) ready.place(host);
  ready.remove(ready.first(0)!);
  shares.hold(first!.site!);
  assert.equal(ready.first(0), undefined, "its site has one place in four");
  assert.equal(ready.size, 0);
  assert.equal(ready.nextMs(), Number.POSITIVE_INFINITY);
  assert.equal(ready.firstToLend(0, () => true)?.isParked, true);
  assert.equal(
    ready.firstToLend(0, () => false),
    undefined,
  );
  for (const { site } of [second!, third!]) shares.waitsNoMore(site!);
  assert.ok(ready.nextMs() <= 0, "alone");
  assert.ok(ready.first(0)?.isParked);
});
