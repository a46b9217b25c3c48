// Simulated crawls of a link graph: a list of pages in the order in which they are fetched.

import { CashBook, UNIT } from "../../build/src/frontier/cash/cash-book.js";
import { CashBoard, cashBoardBytes } from "../../build/src/frontier/opic/cash-board.js";
import { mintFor, shareOf } from "../../build/src/frontier/opic/cash-shares.js";
import { ExchangeSize } from "../../build/src/frontier/opic/exchange-size.js";
import { HostQueues } from "../../build/src/frontier/opic/host-queues.js";
import { MergedOrder } from "../../build/src/frontier/opic/merged-order.js";
import { OpicOrder } from "../../build/src/frontier/opic/opic-order.js";
import { RangeCounts } from "../../build/src/frontier/opic/range-counts.js";
import { BATCH, CAPACITY } from "../../build/src/frontier/opic/thread-order.js";
import { Keys } from "../../build/src/frontier/queue/keys.js";
import { QUEUE_RANGES, RangeQueue } from "../../build/src/frontier/queue/range-queue.js";
import { Heap } from "../../build/src/lab/queues/heap.js";
import { CreditBatch } from "../../build/tests/frontier/cash/credit-batch.js";

const UNKNOWN = -1;

/** Blocks in memory: the order in which keys leave does not depend on where they are. */
class MemoryBlocks {
  blocks = new Map();
  read(into, offset) {
    into.set(this.blocks.get(offset));
  }
  write(bytes, offset) {
    this.blocks.set(offset, bytes.slice());
  }
}

/** Breadth first, depth first, random: no priorities at all. */
export function plainCrawl(graph, seeds, next) {
  const { pages, offsets, targets } = graph;
  const known = new Uint8Array(pages);
  const waiting = [];
  let head = 0;
  const fetched = [];
  const admit = (page) => {
    if (known[page]) return;
    known[page] = 1;
    waiting.push(page);
  };
  seeds.forEach(admit);
  while (head < waiting.length) {
    const page = next === "bfs" ? waiting[head++] : takeOne(waiting, next);
    fetched.push(page);
    for (let i = offsets[page]; i < offsets[page + 1]; i++) admit(targets[i]);
  }
  return fetched;
}

function takeOne(waiting, next) {
  if (next !== "dfs") {
    const at = Math.floor(next() * waiting.length);
    [waiting[at], waiting[waiting.length - 1]] = [waiting.at(-1), waiting[at]];
  }
  return waiting.pop();
}

/**
 * Always the known page that is worth most: by its exact cash at this moment, or by `worth` if given. One queue that
 * knows everything at once; no blocks, no hosts, no ranges. Home pages are minted a unit when they are found.
 * `history` is all that each page ever got: its OPIC value.
 */
export function idealCrawl(graph, seeds, { worth, homes, until = graph.pages } = {}) {
  const { pages, offsets, targets } = graph;
  const local = new Int32Array(pages).fill(UNKNOWN);
  const done = new Uint8Array(pages);
  const book = new CashBook();
  const queue = new Heap(4);
  const hand = new Keys();
  const fetched = [];
  let numbers = 0;
  const push = (page) => hand.push(worth?.[page] ?? book.cash(local[page]), page);
  const admit = (page, amount, unit) => {
    local[page] = numbers++;
    book.mint(unit);
    book.admit(local[page], amount + unit);
    push(page);
  };
  for (const seed of seeds) admit(seed, 0, UNIT);
  for (;;) {
    queue.insertMany(hand);
    hand.clear();
    if (queue.size === 0 || fetched.length >= until) break;
    const { id: page, priority } = queue.peek();
    queue.extractTop(1);
    if (done[page] || (worth === undefined && priority !== book.cash(local[page]))) continue;
    done[page] = 1;
    fetched.push(page);
    const share = shareOf(book, local[page], offsets[page + 1] - offsets[page]);
    book.spend(local[page]);
    for (let i = offsets[page]; i < offsets[page + 1]; i++) {
      const link = targets[i];
      if (local[link] === UNKNOWN) admit(link, share, homes?.has(link) ? mintFor(book) : 0);
      else if (book.credit(local[link], share, "own") >= 0 && worth === undefined) push(link);
    }
  }
  book.settle();
  const history = Float64Array.from(local, (number) =>
    number === UNKNOWN ? 0 : book.history(number),
  );
  return { fetched, history };
}

/** Credits for another thread; a link nobody has sent yet travels even if it carries nothing. */
class Outbox {
  #credits = new CreditBatch();
  #bare = new Set();
  add(page, amount, isNew) {
    if (amount === 0 && isNew) this.#bare.add(page);
    return this.#credits.add(page, amount);
  }
  /** Cash that is under way. */
  get total() {
    return this.#credits.total;
  }
  take() {
    const bare = [...this.#bare].map((page) => [page, 0]);
    this.#bare.clear();
    return [...this.#credits.take(), ...bare];
  }
}

class Shard {
  book = new CashBook();
  /** Page number -> page of the graph. */
  nodes = [];
  /** What is under way to other shards. */
  outbox = new Outbox();

  constructor(counts) {
    this.order = new OpicOrder(this.book, new RangeQueue(() => new MemoryBlocks()), counts);
  }
}

/** Here all pages of a thread are one host's, of whatever shard. */
class OneHostOrder extends MergedOrder {
  cashOfAll(pages, into) {
    for (let i = 0; i < pages.length; i++) into[i] = this.cashOf(pages[i]);
  }
}

/** One thread: its shards as one order, queues of its hosts, and what it publishes to the others. */
class Thread {
  counts = new RangeCounts();
  shards = [];
  paidBack = 0;
  #turns = [];
  #queues;
  #board;
  #places;

  constructor(board, { hostOf, batch, capacity, places, exchange }) {
    this.#board = board;
    this.#places = places;
    this.exchange = new ExchangeSize(exchange);
    this.parts = { hostOf, batch, capacity };
  }

  /** All shards are here. */
  begin() {
    const { shards } = this;
    const { hostOf, batch, capacity } = this.parts;
    const shardOf = (page) => shards[page % shards.length];
    const numberOf = (page) => Math.floor(page / shards.length);
    this.#queues = new HostQueues({
      order: new OneHostOrder(shards.map((shard) => shard.order)),
      hostOf: (page) => hostOf?.[shardOf(page).nodes[numberOf(page)]] ?? 0,
      batch,
      capacity,
    });
  }

  /** As `ThreadOrder.compare`. */
  compare() {
    this.publish();
    this.paidBack = this.#board.paidBack;
    const best = this.counts.rangeOf(1);
    return best < 0 ? -1 : this.#board.better(best);
  }

  /** The shipped code takes the next page, and publishes what it has, as soon as a visit is over: not a round later. */
  publish() {
    let virtual = 0;
    let waiting = 0;
    for (const { book } of this.shards) {
      virtual += book.virtual;
      waiting += book.waiting;
    }
    this.#board.publish({
      virtual,
      waiting,
      plenty: this.counts.rangeOf(Math.min(this.#places, this.exchange.tolerable)),
    });
  }

  /** [shard, page number] of the page to fetch next. Hosts take turns, as politeness makes them. */
  next() {
    this.#turns.push(...this.#queues.refill(64));
    const host = this.#turns.shift();
    if (host === undefined) return undefined;
    const name = this.#queues.next(host);
    if (this.#queues.has(host)) this.#turns.push(host);
    const shard = this.shards[name % this.shards.length];
    const page = Math.floor(name / this.shards.length);
    this.exchange.taken(QUEUE_RANGES.of(shard.book.cash(page)));
    return [shard, page];
  }
}

/**
 * The code that ships: a book, an order and a range queue per shard; queues of hosts, a seat at the board and an
 * exchange size per thread. Threads take turns page by page, so that the order of the list is that of time; one whose
 * best page is worth less than plenty of another's fetches one of those (lending). Links of other shards, also of the
 * same thread, travel in blocks after every `exchange` visits of the thread. With `alone` threads do not look at each other.
 */
export function shippedCrawl(graph, seeds, options) {
  const { offsets, targets } = graph;
  const { threads = 1, shards: count = threads, shardOf, homes, hostOf, alone = false } = options;
  const { batch = BATCH, capacity = CAPACITY, places = 64, exchange = "auto" } = options;
  const { until = graph.pages } = options;
  const memory = new SharedArrayBuffer(cashBoardBytes(threads));
  const parts = { hostOf, batch, capacity, places, exchange };
  const workers = Array.from({ length: threads }, (_, t) => {
    const board = alone ? new SharedArrayBuffer(cashBoardBytes(1)) : memory;
    return new Thread(new CashBoard(board, alone ? 0 : t), parts);
  });
  const shards = Array.from({ length: count }, (_, i) => {
    const thread = workers[i % threads];
    const shard = new Shard(thread.counts);
    thread.shards.push(shard);
    return shard;
  });
  for (const thread of workers) thread.begin();
  const local = new Int32Array(graph.pages).fill(UNKNOWN);
  const sent = new Uint8Array(graph.pages);
  const fetched = [];
  const owner = (page) => (shardOf === undefined ? 0 : shardOf[page]);

  const give = (page, amount, origin) => {
    const number = owner(page);
    const shard = shards[number];
    const received = (cash, was) => {
      if (origin === "own") return;
      const range = was === undefined ? -1 : QUEUE_RANGES.of(was);
      workers[number % threads].exchange.learned(QUEUE_RANGES.of(cash), range);
    };
    if (local[page] !== UNKNOWN) {
      if (shard.order.isWaiting(local[page])) {
        const cash = shard.book.cash(local[page]);
        received(cash + amount, cash);
      }
      shard.order.credit(local[page], amount, origin);
      return;
    }
    local[page] = shard.nodes.length;
    shard.nodes.push(page);
    const unit = homes?.has(page) ? mintFor(shard.book) : 0;
    shard.book.mint(unit);
    shard.order.admit(local[page], amount + unit);
    received(amount + unit);
  };
  const fetch = (thread, shard, number) => {
    const page = shard.nodes[number];
    fetched.push(page);
    const links = offsets[page + 1] - offsets[page];
    const share = shareOf(shard.book, number, links, thread.paidBack);
    shard.book.spend(number);
    for (let i = offsets[page]; i < offsets[page + 1]; i++) {
      const link = targets[i];
      if (shards[owner(link)] === shard) {
        give(link, share, "own");
      } else {
        shard.book.send(share); // promised: the virtual page has it no longer
        const owed = shard.outbox.add(link, share, sent[link] === 0);
        const before = owed === share ? -1 : QUEUE_RANGES.of(owed - share);
        thread.exchange.owes(QUEUE_RANGES.of(owed), before);
        sent[link] = 1;
      }
    }
  };
  const deliver = (thread) => {
    let hasSent = false;
    for (const { outbox } of thread.shards) {
      for (const [page, amount] of outbox.take()) {
        shards[owner(page)].book.receive(amount);
        give(page, amount, "foreign");
        hasSent = true;
      }
    }
    return hasSent;
  };
  for (const seed of seeds) {
    shards[owner(seed)].book.mint(UNIT);
    give(seed, UNIT, "own");
  }
  const sizes = [];
  let borrowed = 0;
  for (let working = true; working && fetched.length < until; ) {
    working = false;
    for (const thread of workers) {
      const better = thread.compare();
      const lender = better < 0 ? thread : workers[better];
      const lent = lender === thread ? undefined : lender.next();
      if (lent !== undefined) borrowed++;
      const from = lent === undefined ? thread : lender;
      const [shard, number] = lent ?? thread.next() ?? [];
      if (shard === undefined) continue;
      fetch(from, shard, number);
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

function exchangesOf(workers) {
  let exchanges = 0;
  let visits = 0;
  for (const { exchange } of workers) {
    exchanges += exchange.exchanges;
    visits += exchange.visits;
  }
  return { count: exchanges, meanSize: visits / Math.max(1, exchanges) };
}

/** Late arrivals; throws unless all cash is where it should be. */
function audit(shards) {
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
  if (minted !== found) throw new Error(`cash: ${minted} minted, ${found} found`);
  return { late, stale };
}
