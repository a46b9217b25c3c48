import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ShardCash } from "../../src/frontier/cash/shard-cash.ts";
import type { Discovery } from "../../src/frontier/discovery.ts";
import { Mailbox } from "../../src/frontier/exchange/mailbox.ts";
import { OUTCOME, type PageLocation } from "../../src/frontier/finish.ts";
import { ShardState } from "../../src/frontier/fold/shard-state.ts";
import type { JournalPort } from "../../src/frontier/journal-port.ts";
import { LinkBlock, readLinkBlock } from "../../src/frontier/link/link-block.ts";
import { CashBoard, cashBoardBytes } from "../../src/frontier/opic/cash-board.ts";
import { OpicQueue } from "../../src/frontier/opic/opic-queue.ts";
import { ThreadOrder } from "../../src/frontier/opic/thread-order.ts";
import { ChainQueue } from "../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../src/frontier/queue/queue-log.ts";
import { Shard } from "../../src/frontier/shard/shard.ts";
import { ShardedFrontier, type ShardedParts } from "../../src/frontier/sharded-frontier.ts";
import { CommitCounts, commitCountBytes } from "../../src/sync/commit-counts.ts";
import { DOORBELL_WORDS, Doorbell } from "../../src/sync/doorbell.ts";
import { Pending } from "../../src/sync/pending.ts";
import { Ring, ringBytes } from "../../src/sync/ring.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../src/url/site.ts";

const discovery: fc.Arbitrary<Discovery> = fc.record(
  {
    url: fc.webUrl() as fc.Arbitrary<CrawlUrl>,
    parent: fc.option(fc.constantFrom("http://p/1", "http://p/2"), {
      nil: undefined,
    }) as fc.Arbitrary<CrawlUrl | undefined>,
    depth: fc.nat(1000),
    via: fc.constantFrom("seed", "link", "redirect", "refresh"),
    seed: fc.boolean(),
    chain: fc.array(fc.stringMatching(/^[0-9a-f]{16}$/), { maxLength: 10 }),
  },
  { noNullPrototype: true },
);

test("links come out of a block as they went in", () => {
  fc.assert(
    fc.property(fc.array(discovery), (all) => {
      const block = new LinkBlock(4096);
      const fitted = all.filter((found) => block.tryAdd(found));
      assert.equal(block.links, fitted.length);
      assert.deepEqual(readLinkBlock(block.bytes, block.used), fitted);
    }),
  );
});

/** The journals of a thread: what was written becomes durable when `sync` is called. */
class SlowPort implements JournalPort {
  readonly #waiting: (() => void)[] = [];

  write(_shard: number, _events: Uint8Array, onDurable: () => void): void {
    this.#waiting.push(onDurable);
  }

  mark(onStored: () => void): void {
    this.#waiting.push(onStored);
  }

  place(record: number, onDurable: (place: PageLocation) => void): void {
    this.#waiting.push(() => onDurable({ file: "a.warc.gz", offset: record, length: 1 }));
  }

  sync(): void {
    for (const tell of this.#waiting.splice(0)) tell();
  }
}

/** T frontiers in one thread, over the shared memory that T threads would use. */
function team(threads: number, slots: number, order: "bfs" | "opic") {
  const inbox = () => new SharedArrayBuffer(ringBytes(slots, 512));
  const memory = Array.from({ length: threads }, inbox);
  const words = new Int32Array(new SharedArrayBuffer(4 * threads * DOORBELL_WORDS));
  const pending = new Pending(new Int32Array(new SharedArrayBuffer(4)), 0);
  const bells = memory.map((_, i) => new Doorbell(words, i * DOORBELL_WORDS));
  const wantsSpace = new Int32Array(new SharedArrayBuffer(4 * threads));
  const board = new SharedArrayBuffer(cashBoardBytes(threads));
  const counts = new SharedArrayBuffer(commitCountBytes(threads));
  const ends = { count: 0, lent: 0 };
  const shards = 16;
  const queued = (): number[] => members.map(({ frontier }) => 100 * frontier.queued);
  const rules = {
    delayMs: 0,
    perHost: 64,
    order,
    seedLow: 5,
    seedHigh: 6,
    startMs: 0,
  } as const;
  const members: { port: SlowPort; frontier: ShardedFrontier }[] = memory.map((_, thread) => {
    const inboxes = memory.map((buffer) => new Ring(buffer, slots, 512, thread + 1));
    const exchange = new Mailbox(thread, { inboxes, bells, wantsSpace });
    const onLast = () => {
      ends.count++;
    };
    const noFile = () => assert.fail("so few URLs need no file");
    const log = new QueueLog(noFile, 2 ** 22);
    const byCash =
      order === "opic" ? new ThreadOrder({ board: new CashBoard(board, thread) }) : undefined;
    const newShard = (number: number) => {
      const cash = byCash && new ShardCash(5, 6);
      const queue = byCash ? new OpicQueue(cash!, log, noFile, byCash) : new ChainQueue(log, false);
      return new Shard(number, rules, new ShardState(5, 6, undefined, cash), queue);
    };
    const owned = Array.from({ length: shards }, (_, number) => number)
      .filter((number) => number % threads === thread)
      .map(newShard);
    const port = new SlowPort();
    const commits = new CommitCounts(counts, threads, thread);
    const lender = {
      spare: (limit: number) => limit,
      returned: () => {},
      brought: () => {},
      committed: (_outcome: number, borrower: number) => {
        commits.add(borrower);
        ends.lent++;
      },
      commitsOf: (owner: number) => commits.take(owner),
      queued,
    };
    const parts: ShardedParts = {
      ...{ thread, threads, shards, owned, epoch: 1, pending, exchange, port, onLast, lender },
      ...{ delayMs: 0, seedLow: 5, seedHigh: 6, order: byCash },
    };
    return { port, frontier: new ShardedFrontier(parts) };
  });
  return { members, pending, ends };
}

for (const order of ["bfs", "opic"] as const) {
  test(`a team of frontiers (${order}) visits what can be reached, each once, and ends exactly then`, () => {
    // Page i of a made-up web links to the pages of its list; pages are spread over sites s0.test ... s9.test.
    const web = fc.array(fc.array(fc.nat(59), { maxLength: 6 }), { minLength: 60, maxLength: 60 });
    const url = (page: number) => `http://s${page % 10}.test/${page}` as CrawlUrl;
    let lentPages = 0;
    fc.assert(
      fc.property(
        web,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        fc.infiniteStream(fc.nat(1000)),
        (links, threads, slots, choice) => {
          const { members, pending, ends } = team(threads, slots, order);
          const seed = url(0);
          const owner = shardOf(siteHash(siteOf("s0.test")), 16) % threads;
          for (const [i, { frontier }] of members.entries())
            frontier.start(i === owner ? [seed] : []);
          pending.add(members.reduce((sum, { frontier }) => sum + frontier.share, 0));
          const visited: string[] = [];
          let committed = 0;
          for (let turns = 0; pending.value > 0; turns++) {
            assert.ok(turns < 100_000, "does not end");
            assert.equal(ends.count, 0, "ended too early");
            const { frontier, port } = members[choice.next().value! % threads]!;
            frontier.receive(turns);
            // Also with work of its own: a thread must be able to work for others at any time.
            if (choice.next().value! % 3 === 0) frontier.wantMore(2, 100 * turns);
            const [lease] = frontier.takeMany(1, turns);
            if (lease !== undefined && choice.next().value! % 7 === 0) {
              frontier.giveBack(lease, 0);
              continue;
            }
            if (lease !== undefined) {
              frontier.requestEnded(lease, 0);
              visited.push(lease.url);
              const page = Number(lease.url.split("/")[3]);
              const via = "link" as const;
              const found = links[page]!.map((to) => {
                const parent = lease.url;
                return { url: url(to), parent, depth: 1, via, seed: false, chain: [] };
              });
              const onCommitted = () => {
                committed++;
              };
              const record = choice.next().value! % 2 === 0 ? 7 : undefined;
              frontier.finish(lease, found, {
                outcome: OUTCOME.page,
                links: found.length,
                record,
                onCommitted,
              });
            }
            frontier.flush();
            if (choice.next().value! % 2 === 0) port.sync();
            const shares = members.reduce((sum, member) => sum + member.frontier.share, 0);
            assert.equal(pending.value, shares, "the shares are what is pending");
          }
          assert.equal(ends.count, 1, "the last release is noticed exactly once");
          const reachable = new Set([0]);
          for (const page of reachable) for (const to of links[page]!) reachable.add(to);
          assert.deepEqual(visited.sort(), [...reachable].map(url).sort());
          for (const { frontier } of members) frontier.receive(0);
          assert.equal(committed, reachable.size, "whoever visited hears of the commit, once");
          lentPages += ends.lent;
          assert.equal(
            members.reduce((sum, { frontier }) => sum + frontier.known, 0),
            reachable.size,
          );
        },
      ),
      { numRuns: order === "bfs" ? 120 : 50 },
    );
    assert.ok(lentPages > 25, `only ${lentPages} visits were made for another thread`);
  });
}
