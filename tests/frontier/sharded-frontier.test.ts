import assert from "node:assert/strict";
import { test } from "node:test";
import { CashBlock } from "../../src/frontier/cash/cash-block.ts";
import { ShardState } from "../../src/frontier/fold/shard-state.ts";
import { type Lease, OUTCOME } from "../../src/frontier/frontier.ts";
import { CashBoard } from "../../src/frontier/opic/cash-board.ts";
import { parsePage } from "../../src/parse/page.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../src/url/site.ts";
import { hostnameOf } from "../../src/url/url-parts.ts";
import { openTeam, shardedTeam } from "./frontier-team.ts";

/** URLs of hosts that belong to a thread. */
function urlsOf(thread: number, threads: number, count: number): CrawlUrl[] {
  const urls: CrawlUrl[] = [];
  for (let host = 0; urls.length < count; host++) {
    const name = `h${host}.test`;
    if (shardOf(siteHash(siteOf(name)), 16) % threads === thread)
      urls.push(`http://${name}/` as CrawlUrl);
  }
  return urls;
}

const urls = (leases: readonly Lease[]) => leases.map(({ url }) => url);

test("what was borrowed goes first: own URLs may be waiting for the page permits it holds", () => {
  const { members } = shardedTeam({ threads: 2, slots: 8 });
  const [borrower, owner] = members.map(({ frontier }) => frontier);
  const theirs = urlsOf(1, 2, 6);
  const [own] = urlsOf(0, 2, 1);
  borrower!.open([]);
  owner!.open(theirs);
  assert.equal(owner!.take(3, 0).length, 3);
  owner!.turn(0, "run");
  assert.deepEqual(borrower!.take(2, 0), [], "nothing here: the other thread is asked");
  borrower!.turn(0, "run");
  owner!.turn(1, "run");
  borrower!.open([own!]);
  const borrowed = borrower!.take(4, 1);
  assert.equal(borrowed.length, 2);
  for (const { url } of borrowed) assert.ok(theirs.includes(url));
  assert.deepEqual(urls(borrower!.take(2, 1)), [own]);
});

test("own URLs wait while a thread with better pages is asked, and the frontier says until when", () => {
  const team = shardedTeam({ threads: 2, slots: 8, order: "opic" });
  const [poor, rich] = team.members.map(({ frontier }) => frontier);
  const own = urlsOf(0, 2, 2);
  poor!.open(own);
  rich!.open([]);
  const others = new CashBoard(team.cashBoard!, 1);
  others.publish({ virtual: 0, waiting: 100, plenty: 400 });
  assert.deepEqual(poor!.take(2, 100), []);
  assert.equal(
    poor!.turn(100, "run"),
    120,
    "not the hosts' time: that has come, and the loop would spin",
  );
  // The other thread answers that it lends nothing.
  rich!.turn(105, "run");
  others.publish({ virtual: 0, waiting: 100, plenty: 400 });
  assert.deepEqual(urls(poor!.take(2, 110)).sort(), [...own].sort());
});

for (const order of ["bfs", "opic"] as const) {
  test(`threads work for each other (${order}), and owners commit what others visited`, () => {
    const team = shardedTeam({ threads: 3, slots: 4, order });
    openTeam(team, urlsOf(0, 3, 40));
    let visits = 0;
    const inFlight = team.members.map((): Lease[] => []);
    for (let nowMs = 1; team.pending.value > 0; nowMs++) {
      assert.ok(nowMs < 10_000, "does not end");
      for (const [thread, { frontier, port }] of team.members.entries()) {
        const ended = inFlight[thread]!.splice(0);
        inFlight[thread]!.push(...frontier.take(4, nowMs));
        for (const lease of ended) {
          visits++;
          frontier.requestEnded(lease, nowMs);
          const end = { outcome: OUTCOME.page, found: [], links: 0, record: 7 } as const;
          frontier.settle(lease, { kind: "finish", ...end, onCommitted() {} });
        }
        frontier.turn(nowMs, "run");
        if (nowMs % 3 === 0) port.sync();
      }
    }
    assert.equal(visits, 40);
    assert.ok(team.lent() > 5, `only ${team.lent()} visits were made for another thread`);
  });
}

test("a link of another thread is left out from when its block is durable on, and not before", () => {
  const { members } = shardedTeam({ threads: 2, slots: 8, lends: false });
  const [{ frontier, port }] = members as [(typeof members)[0], (typeof members)[0]];
  const [page] = urlsOf(0, 2, 1) as [CrawlUrl];
  const own = `${page}own` as CrawlUrl;
  const [foreign] = urlsOf(1, 2, 1) as [CrawlUrl];
  const html = Buffer.from(`<a href="${own}"><a href="${foreign}">`);
  const look = () => {
    const { packed } = parsePage(html, page, { seedLow: 5, seedHigh: 6 });
    return frontier.unknown!(shardOf(siteHash(siteOf(hostnameOf(page))), 16), packed!).left;
  };
  frontier.open([page]);
  assert.deepEqual(look(), [own, foreign]);
  assert.deepEqual(look(), [own, foreign], "a page that is tried again keeps its links");
  const [lease] = frontier.take(1, 0) as [Lease];
  frontier.requestEnded(lease, 0);
  const how = { parent: page, depth: 1, via: "link", seed: false, chain: [] } as const;
  const found = [own, foreign].map((url) => ({ url, ...how }));
  const end = { outcome: OUTCOME.page, found, links: 2, record: 1, onCommitted() {} } as const;
  frontier.settle(lease, { kind: "finish", ...end });
  frontier.turn(0, "run");
  assert.deepEqual(
    look(),
    [foreign],
    "the block may still be lost, and this page may be all that is left",
  );
  port.sync();
  assert.deepEqual(look(), []);
});

test("blocks that a shard asks for again and again are a contradiction, and end neither the stack nor never", () => {
  // Shard 0 has the confirmation of a block that shard 1 has not.
  const prepare = (number: number, state: ShardState) => {
    for (let block = 1; number === 0 && block <= 3000; block++)
      state.send({ target: 1, epoch: 1, number: block, links: 0, bytes: new Uint8Array(0) });
    state.confirm(1, 1, 1);
  };
  const { members } = shardedTeam({ threads: 1, slots: 8, prepare });
  const { frontier } = members[0]!;
  frontier.open([]);
  assert.throws(() => frontier.turn(0, "run"), /shard 1 asks for block 1 of run 1/);
});

test("gaps after which the next block is there are answered, however many come", () => {
  const prepare = (number: number, state: ShardState) => {
    for (let block = 1; number === 0 && block <= 300; block++)
      state.send({ target: 1, epoch: 1, number: block, links: 0, bytes: emptyBlock() });
    if (number !== 0) return;
    // The first time they are sent in the wrong order: each but the last one is a gap.
    state.unconfirmed = () => {
      state.unconfirmed = ShardState.prototype.unconfirmed;
      return state.unconfirmed().reverse();
    };
  };
  const team = shardedTeam({ threads: 1, slots: 8, prepare });
  const { frontier, port } = team.members[0]!;
  openTeam(team, []);
  for (let nowMs = 1; team.pending.value > 0; nowMs++) {
    assert.ok(nowMs < 100, "does not end");
    frontier.turn(nowMs, "run");
    port.sync();
  }
});

function emptyBlock(): Uint8Array {
  return new CashBlock(1024, false).close();
}
