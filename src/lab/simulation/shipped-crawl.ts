import { OrbweaverError } from "../../errors.ts";
import { type CreditOrigin, UNIT } from "../../frontier/cash/cash-book.ts";
import { CashBoard, cashBoardBytes } from "../../frontier/opic/cash-board.ts";
import { mintFor, shareOf } from "../../frontier/opic/cash-shares.ts";
import { BATCH, CAPACITY } from "../../frontier/opic/thread-order.ts";
import { QUEUE_RANGES } from "../../frontier/queue/range-queue.ts";
import type { LinkGraph } from "../queues/page-rank.ts";
import { SimulatedShard, SimulatedThread, type ThreadParts } from "./shipped-thread.ts";

const UNKNOWN = -1;
const PLACES = 64;

/** How a shipped crawl goes; everything has the default of a real one. */
export interface ShippedOptions extends Partial<ThreadParts> {
  readonly threads?: number;
  readonly shards?: number;
  /** The shard of a page; without it all are of the first. */
  readonly shardOf?: ArrayLike<number>;
  /** Pages that are minted a unit when they are found. */
  readonly homes?: ReadonlySet<number>;
  /** Threads do not look at each other. */
  readonly alone?: boolean;
  readonly until?: number;
}

/** What a shipped crawl did. */
export interface ShippedCrawl {
  readonly fetched: number[];
  /** Pages that a thread took from another one. */
  readonly borrowed: number;
  /** Of every exchange: pages fetched before it, the size then, its error. */
  readonly sizes: (readonly [fetched: number, size: number, error: number])[];
  readonly exchanges: { readonly count: number; readonly meanSize: number };
  readonly late: { readonly own: number; readonly foreign: number };
  readonly stale: number;
}

/**
 * The code that ships: a book, an order and a range queue per shard; queues of hosts, a seat at the board and an
 * exchange size per thread. Threads take turns page by page, so that the order of the list is that of time; one whose
 * best page is worth less than plenty of another's fetches one of those (lending). Links of other shards, also of the
 * same thread, travel in blocks after every `exchange` visits of the thread.
 */
export function shippedCrawl(
  graph: LinkGraph,
  seeds: Iterable<number>,
  options: ShippedOptions = {},
): ShippedCrawl {
  const { offsets, targets } = graph;
  const pages = offsets.length - 1;
  const { threads = 1, shards: count = threads, shardOf, homes, until = pages } = options;
  const workers = makeThreads(threads, options);
  const shards = Array.from({ length: count }, (_, i) => {
    const thread = workers[i % threads]!;
    const shard = new SimulatedShard(thread.counts);
    thread.shards.push(shard);
    return shard;
  });
  for (const thread of workers) thread.begin();
  const local = new Int32Array(pages).fill(UNKNOWN);
  const sent = new Uint8Array(pages);
  const fetched: number[] = [];
  const owner = (page: number) => (shardOf === undefined ? 0 : shardOf[page]!);

  const give = (page: number, amount: number, origin: CreditOrigin) => {
    const number = owner(page);
    const shard = shards[number]!;
    const received = (cash: number, was?: number) => {
      if (origin === "own") return;
      const range = was === undefined ? -1 : QUEUE_RANGES.of(was);
      workers[number % threads]!.exchange.learned(QUEUE_RANGES.of(cash), range);
    };
    if (local[page] !== UNKNOWN) {
      if (shard.order.isWaiting(local[page]!)) {
        const cash = shard.book.cash(local[page]!);
        received(cash + amount, cash);
      }
      shard.order.credit(local[page]!, amount, origin);
      return;
    }
    local[page] = shard.nodes.length;
    shard.nodes.push(page);
    const unit = homes?.has(page) ? mintFor(shard.book) : 0;
    shard.book.mint(unit);
    shard.order.admit(local[page]!, amount + unit);
    received(amount + unit);
  };
  const fetch = (thread: SimulatedThread, shard: SimulatedShard, number: number) => {
    const page = shard.nodes[number]!;
    fetched.push(page);
    const links = offsets[page + 1]! - offsets[page]!;
    const share = shareOf(shard.book, number, links, thread.paidBack);
    shard.book.spend(number);
    for (let i = offsets[page]!; i < offsets[page + 1]!; i++) {
      const link = targets[i]!;
      if (shards[owner(link)] === shard) {
        give(link, share, "own");
        continue;
      }
      shard.book.send(share); // promised: the virtual page has it no longer
      const owed = shard.outbox.add(link, share, sent[link] === 0);
      const before = owed === share ? -1 : QUEUE_RANGES.of(owed - share);
      thread.exchange.owes(QUEUE_RANGES.of(owed), before);
      sent[link] = 1;
    }
  };
  const deliver = (thread: SimulatedThread) => {
    let hasSent = false;
    for (const { outbox } of thread.shards) {
      for (const [page, amount] of outbox.take()) {
        shards[owner(page)]!.book.receive(amount);
        give(page, amount, "foreign");
        hasSent = true;
      }
    }
    return hasSent;
  };
  for (const seed of seeds) {
    shards[owner(seed)]!.book.mint(UNIT);
    give(seed, UNIT, "own");
  }
  const sizes: [number, number, number][] = [];
  let borrowed = 0;
  for (let working = true; working && fetched.length < until; ) {
    working = false;
    for (const thread of workers) {
      const better = thread.compare();
      const lender = better < 0 ? thread : workers[better]!;
      const lent = lender === thread ? undefined : lender.next();
      if (lent !== undefined) borrowed++;
      const from = lent === undefined ? thread : lender;
      const lease = lent ?? thread.next();
      if (lease === undefined) continue;
      fetch(from, lease.shard, lease.number);
      from.publish();
      working = true;
      if (from.exchange.visited()) {
        deliver(from);
        sizes.push([fetched.length, from.exchange.size, from.exchange.error]);
      }
    }
    if (!working) for (const thread of workers) if (deliver(thread)) working = true;
  }
  return { fetched, borrowed, sizes, exchanges: exchangesOf(workers), ...audit(shards) };
}

function makeThreads(threads: number, options: ShippedOptions): SimulatedThread[] {
  const { hostOf, alone = false, exchange = "auto" } = options;
  const { batch = BATCH, capacity = CAPACITY, places = PLACES } = options;
  const memory = new SharedArrayBuffer(cashBoardBytes(threads));
  return Array.from({ length: threads }, (_, t) => {
    const board = alone ? new SharedArrayBuffer(cashBoardBytes(1)) : memory;
    const seat = new CashBoard(board, alone ? 0 : t);
    return new SimulatedThread(seat, { hostOf, batch, capacity, places, exchange });
  });
}

function exchangesOf(workers: readonly SimulatedThread[]) {
  let count = 0;
  let visits = 0;
  for (const { exchange } of workers) {
    count += exchange.exchanges;
    visits += exchange.visits;
  }
  return { count, meanSize: visits / Math.max(1, count) };
}

/** Late arrivals; throws unless all cash is where it should be. */
function audit(shards: readonly SimulatedShard[]) {
  const late = { own: 0, foreign: 0 };
  let minted = 0;
  let found = 0;
  let stale = 0;
  for (const { book, order, outbox } of shards) {
    book.settle();
    late.own += book.late.own;
    late.foreign += book.late.foreign;
    minted += book.minted;
    found += book.held + book.virtual + outbox.total;
    stale += order.stale;
  }
  if (minted !== found) {
    throw new OrbweaverError("OW_CASH", `${minted} minted, ${found} found in the simulated crawl`);
  }
  return { late, stale };
}
