// Simulated crawls of a link graph: a list of pages in the order in which they are fetched.
import { CashBook, UNIT } from "../build/src/frontier/opic/cash-book.js";
import { CreditBatch } from "../build/src/frontier/opic/credit-batch.js";
import { mintFor, shareOf } from "../build/src/frontier/opic/deal.js";
import { HostQueues } from "../build/src/frontier/opic/host-queues.js";
import { MergedOrder } from "../build/src/frontier/opic/merged-order.js";
import { OpicOrder } from "../build/src/frontier/opic/opic-order.js";
import { Heap } from "../build/src/queue/heap.js";
import { Keys } from "../build/src/queue/keys.js";
import { RangeQueue } from "../build/src/queue/range-queue.js";

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
 * knows everything at once; no blocks, no hosts, no ranges. Home pages are minted a unit when they are met.
 */
export function idealCrawl(graph, seeds, { worth, homes } = {}) {
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
    if (queue.size === 0) break;
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
  return fetched;
}

/** Credits for another thread; a link nobody has sent yet travels even if it carries nothing. */
class Outbox {
  #credits = new CreditBatch();
  #bare = new Set();
  add(page, amount, isNew) {
    if (amount === 0 && isNew) this.#bare.add(page);
    this.#credits.add(page, amount);
  }
  take() {
    const bare = [...this.#bare].map((page) => [page, 0]);
    this.#bare.clear();
    return [...this.#credits.take(), ...bare];
  }
}

class Shard {
  book = new CashBook();
  order = new OpicOrder(this.book, new RangeQueue(() => new MemoryBlocks()));
  /** Page number -> page of the graph. */
  nodes = [];
}

/** One thread: its shards as one order, queues of its hosts, what it owes to other threads. */
class Thread {
  outboxes;
  #turns = [];
  #shards;
  #queues;

  constructor(shards, threads, { hostOf, batch, capacity }) {
    this.#shards = shards;
    this.outboxes = Array.from({ length: threads }, () => new Outbox());
    const shardOf = (page) => shards[page % shards.length];
    const numberOf = (page) => Math.floor(page / shards.length);
    this.#queues = new HostQueues({
      order: new MergedOrder(shards.map((shard) => shard.order)),
      hostOf: (page) => hostOf?.[shardOf(page).nodes[numberOf(page)]] ?? 0,
      cashOf: (page) => shardOf(page).book.cash(numberOf(page)),
      batch,
      capacity,
    });
  }

  /** [shard, page number] of the page to fetch next. Hosts take turns, as politeness makes them. */
  next() {
    this.#turns.push(...this.#queues.refill(64));
    const host = this.#turns.shift();
    if (host === undefined) return undefined;
    const page = this.#queues.next(host);
    if (this.#queues.has(host)) this.#turns.push(host);
    return [this.#shards[page % this.#shards.length], Math.floor(page / this.#shards.length)];
  }
}

/**
 * The code that ships: a book, an order and a range queue per shard, queues of hosts per thread. Links within a thread
 * count at once, those of other threads travel in blocks after every `superstep` pages per thread.
 */
export function shippedCrawl(graph, seeds, options) {
  const { offsets, targets } = graph;
  const { threads = 1, shardOf, homes, superstep = 250 } = options;
  const shards = Array.from({ length: options.shards ?? threads }, () => new Shard());
  const crew = Array.from(
    { length: threads },
    (_, t) =>
      new Thread(
        shards.filter((_, i) => i % threads === t),
        threads,
        { hostOf: options.hostOf, batch: options.batch ?? 8, capacity: options.capacity ?? 16 },
      ),
  );
  const local = new Int32Array(graph.pages).fill(UNKNOWN);
  const sent = new Uint8Array(graph.pages);
  const fetched = [];
  const owner = (page) => (shardOf === undefined ? 0 : shardOf[page]);

  const give = (page, amount, origin) => {
    const shard = shards[owner(page)];
    if (local[page] !== UNKNOWN) {
      shard.order.credit(local[page], amount, origin);
      return;
    }
    local[page] = shard.nodes.length;
    shard.nodes.push(page);
    const unit = homes?.has(page) ? mintFor(shard.book) : 0;
    shard.book.mint(unit);
    shard.order.admit(local[page], amount + unit);
  };
  const pay = (from, page, amount, origin) => {
    const to = shards[owner(page)];
    if (from !== to) {
      from.book.send(amount);
      to.book.receive(amount);
    }
    give(page, amount, origin);
  };
  const fetch = (thread, shard, number) => {
    const page = shard.nodes[number];
    fetched.push(page);
    const share = shareOf(shard.book, number, offsets[page + 1] - offsets[page]);
    shard.book.spend(number);
    for (let i = offsets[page]; i < offsets[page + 1]; i++) {
      const link = targets[i];
      const target = owner(link) % threads;
      if (crew[target] === thread) {
        pay(shard, link, share, "own");
      } else {
        shard.book.send(share); // promised: the virtual page has it no longer
        thread.outboxes[target].add(link, share, sent[link] === 0);
        sent[link] = 1;
      }
    }
  };
  for (const seed of seeds) {
    shards[owner(seed)].book.mint(UNIT);
    give(seed, UNIT, "own");
  }
  for (let working = true; working; ) {
    working = false;
    // Threads take turns page by page, so that the order of the list is that of time.
    for (let step = 0; step < superstep; step++) {
      for (const thread of crew) {
        const [shard, number] = thread.next() ?? [];
        if (shard === undefined) continue;
        fetch(thread, shard, number);
        working = true;
      }
    }
    for (const thread of crew) {
      for (const outbox of thread.outboxes) {
        for (const [page, amount] of outbox.take()) {
          shards[owner(page)].book.receive(amount);
          give(page, amount, "foreign");
          working = true;
        }
      }
    }
  }
  return { fetched, ...audit(shards) };
}

/** Late arrivals; throws unless all cash is where it should be. */
function audit(shards) {
  const late = { own: 0, foreign: 0 };
  let minted = 0;
  let found = 0;
  let stale = 0;
  for (const { book, order } of shards) {
    book.settle();
    late.own += book.late.own;
    late.foreign += book.late.foreign;
    minted += book.minted;
    found += book.held + book.virtual;
    stale += order.stale;
  }
  if (minted !== found) throw new Error(`cash: ${minted} minted, ${found} found`);
  return { late, stale };
}
