// Simulated crawls of a link graph: a list of pages in the order in which they are fetched.
import { Deque } from "../build/src/frontier/deque.js";
import { CashBook, UNIT } from "../build/src/frontier/opic/cash-book.js";
import { CreditBatch } from "../build/src/frontier/opic/credit-batch.js";
import { shareOf } from "../build/src/frontier/opic/deal.js";
import { HostQueues } from "../build/src/frontier/opic/host-queues.js";
import { OpicOrder } from "../build/src/frontier/opic/opic-order.js";
import { Heap } from "../build/src/queue/heap.js";
import { Keys } from "../build/src/queue/keys.js";
import { RangeQueue } from "../build/src/queue/range-queue.js";

const UNKNOWN = -1;

/** Blocks in memory: the order in which keys leave does not depend on where they are. */
class MemoryBlocks {
  blocks = new Map();
  read(block, into) {
    into.set(this.blocks.get(block));
  }
  write(block, from) {
    this.blocks.set(block, from.slice());
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

/** Always the known page that is worth most by `worth`, which may change while it waits: one instantaneous queue. */
export function idealCrawl(graph, seeds, worth) {
  const { pages, offsets, targets } = graph;
  const local = new Int32Array(pages).fill(UNKNOWN);
  const done = new Uint8Array(pages);
  const book = new CashBook();
  const queue = new Heap(4);
  const hand = new Keys();
  const fetched = [];
  const push = (page) =>
    hand.push(worth === undefined ? book.cash(local[page]) : worth[page], page);
  let numbers = 0;
  for (const seed of seeds) {
    local[seed] = numbers++;
    book.mint(UNIT);
    book.admit(local[seed], UNIT);
    push(seed);
  }
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
      if (local[link] === UNKNOWN) {
        local[link] = numbers++;
        book.admit(local[link], share);
      } else if (book.credit(local[link], share, "own") < 0 || worth !== undefined) {
        continue;
      }
      push(link);
    }
  }
  book.settle();
  return fetched;
}

/**
 * The code that ships: per partition a book, a range queue and queues of hosts; own links at once, foreign ones in
 * blocks after every superstep of R pages per partition.
 */
export function shippedCrawl(graph, seeds, options) {
  const { pages, offsets, targets } = graph;
  const { partitions, ownerOf, hostOf, superstep, batch = 512, capacity = 256 } = options;
  const local = new Int32Array(pages).fill(UNKNOWN);
  const shards = Array.from({ length: partitions }, () => makeShard(hostOf, batch, capacity));
  const fetched = [];

  const give = (shard, page, amount, origin) => {
    if (local[page] === UNKNOWN) {
      local[page] = shard.nodes.length;
      shard.nodes.push(page);
      shard.order.admit(local[page], amount);
    } else {
      shard.order.credit(local[page], amount, origin);
    }
  };
  const fetch = (shard, number) => {
    const page = shard.nodes[number];
    fetched.push(page);
    const share = shareOf(shard.book, number, offsets[page + 1] - offsets[page]);
    shard.book.spend(number);
    for (let i = offsets[page]; i < offsets[page + 1]; i++) {
      const link = targets[i];
      const owner = ownerOf === undefined ? 0 : ownerOf[link];
      if (shards[owner] === shard) give(shard, link, share, "own");
      else {
        shard.book.send(share); // promised, so the virtual page has it no longer
        shard.outbox[owner].add(link, share, local[link] === UNKNOWN);
      }
    }
  };
  for (const seed of seeds) {
    const shard = shards[ownerOf === undefined ? 0 : ownerOf[seed]];
    shard.book.mint(UNIT);
    give(shard, seed, UNIT, "own");
  }
  const turns = shards.map(() => []);
  for (let idle = false; !idle; ) {
    idle = true;
    // Partitions take turns page by page, so that the order of the list is that of time.
    const left = shards.map(() => superstep);
    for (let working = true; working; ) {
      working = false;
      shards.forEach((shard, i) => {
        if (left[i]-- <= 0) return;
        const number = nextPage(shard, turns[i]);
        if (number === undefined) return;
        fetch(shard, number);
        working = true;
        idle = false;
      });
    }
    for (const shard of shards) {
      shard.outbox.forEach((credits, target) => {
        if (credits.targets === 0) return;
        idle = false;
        shards[target].book.receive(credits.total);
        for (const [page, amount] of credits.take()) give(shards[target], page, amount, "foreign");
        shards[target].book.settle();
      });
    }
  }
  const late = { own: 0, foreign: 0 };
  let minted = 0;
  let left = 0;
  for (const { book } of shards) {
    book.settle();
    late.own += book.late.own;
    late.foreign += book.late.foreign;
    minted += book.minted;
    left += book.held + book.virtual;
  }
  if (minted !== left) throw new Error(`cash: ${minted} minted, ${left} left`);
  return { fetched, late, overflowed: shards.reduce((sum, s) => sum + s.hosts.overflowed, 0) };

  function makeShard(hosts, drawn, room) {
    const book = new CashBook();
    const order = new OpicOrder(book, new RangeQueue(new MemoryBlocks()));
    const nodes = [];
    const queues = new Map();
    const chains = {
      push: (chain, page) => {
        if (!queues.has(chain)) queues.set(chain, new Deque());
        queues.get(chain).pushBack(page);
      },
      shift: (chain) => queues.get(chain).shift(),
    };
    const outbox = Array.from({ length: partitions }, () => new Outbox());
    const parts = {
      order,
      chains,
      hostOf: (page) => hosts?.[nodes[page]] ?? 0,
      cashOf: (page) => book.cash(page),
      batch: drawn,
      capacity: room,
    };
    return { book, order, nodes, outbox, hosts: new HostQueues(parts) };
  }
}

/** Credits for another partition; a link nobody knows yet travels even if it carries nothing. */
class Outbox {
  #credits = new CreditBatch();
  #bare = new Set();
  get total() {
    return this.#credits.total;
  }
  get targets() {
    return this.#credits.targets + this.#bare.size;
  }
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

/** Hosts take turns, as politeness makes them. */
function nextPage(shard, turns) {
  turns.push(...shard.hosts.refill(64));
  for (let tries = turns.length; tries > 0; tries--) {
    const host = turns.shift();
    const page = shard.hosts.next(host);
    if (page === undefined) continue;
    turns.push(host);
    return page;
  }
  return undefined;
}
