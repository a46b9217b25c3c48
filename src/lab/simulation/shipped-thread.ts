import { CashBook } from "../../frontier/cash/cash-book.ts";
import type { CashBoard } from "../../frontier/opic/cash-board.ts";
import { ExchangeSize } from "../../frontier/opic/exchange-size.ts";
import { HostQueues } from "../../frontier/opic/host-queues.ts";
import { MergedOrder } from "../../frontier/opic/merged-order.ts";
import { OpicOrder } from "../../frontier/opic/opic-order.ts";
import { RangeCounts } from "../../frontier/opic/range-counts.ts";
import type { BlockFile } from "../../frontier/queue/block-table.ts";
import { QUEUE_RANGES, RangeQueue } from "../../frontier/queue/range-queue.ts";
import { CreditBatch } from "./credit-batch.ts";

/** Hosts that are asked for pages at once. */
const HOSTS_AT_ONCE = 64;

/** Blocks in memory: the order in which keys leave does not depend on where they are. */
class MemoryBlocks implements BlockFile {
  readonly #blocks = new Map<number, Uint8Array>();

  read(into: Uint8Array, offset: number): void {
    into.set(this.#blocks.get(offset)!);
  }

  write(bytes: Uint8Array, offset: number): void {
    this.#blocks.set(offset, bytes.slice());
  }
}

/** Credits for other shards; a link nobody has sent yet travels even if it carries nothing. */
export class Outbox {
  readonly #credits = new CreditBatch<number>();
  readonly #bare = new Set<number>();

  add(page: number, amount: number, isNew: boolean): number {
    if (amount === 0 && isNew) this.#bare.add(page);
    return this.#credits.add(page, amount);
  }

  /** Cash that is under way. */
  get total(): number {
    return this.#credits.total;
  }

  take(): [page: number, amount: number][] {
    const bare = [...this.#bare].map((page): [number, number] => [page, 0]);
    this.#bare.clear();
    return [...this.#credits.take(), ...bare];
  }
}

/** A shard of the simulated crawl: the book and the order that ship. */
export class SimulatedShard {
  readonly book = new CashBook();
  /** Page number -> page of the graph. */
  readonly nodes: number[] = [];
  readonly outbox = new Outbox();
  readonly order: OpicOrder;

  constructor(counts: RangeCounts) {
    this.order = new OpicOrder(this.book, new RangeQueue(() => new MemoryBlocks()), counts);
  }
}

/** Here all pages of a thread are one host's, of whatever shard. */
class OneHostOrder extends MergedOrder {
  override cashOfAll(pages: readonly number[], into: Float64Array): void {
    for (let i = 0; i < pages.length; i++) into[i] = this.cashOf(pages[i]!);
  }
}

/** What a thread is made with. */
export interface ThreadParts {
  readonly hostOf: ArrayLike<number> | undefined;
  readonly batch: number;
  readonly capacity: number;
  readonly places: number;
  readonly exchange: number | "auto";
}

/** One thread: its shards as one order, queues of its hosts, and what it publishes to the others. */
export class SimulatedThread {
  readonly counts = new RangeCounts();
  readonly shards: SimulatedShard[] = [];
  readonly exchange: ExchangeSize;
  paidBack = 0;
  readonly #turns: number[] = [];
  readonly #board: CashBoard;
  readonly #parts: ThreadParts;
  #queues: HostQueues | undefined;

  constructor(board: CashBoard, parts: ThreadParts) {
    this.#board = board;
    this.#parts = parts;
    this.exchange = new ExchangeSize(parts.exchange);
  }

  /** All shards are here. */
  begin(): void {
    const { shards } = this;
    const { hostOf, batch, capacity } = this.#parts;
    this.#queues = new HostQueues({
      order: new OneHostOrder(shards.map((shard) => shard.order)),
      hostOf: (page) => {
        const node = shards[page % shards.length]!.nodes[Math.floor(page / shards.length)]!;
        return hostOf?.[node] ?? 0;
      },
      batch,
      capacity,
    });
  }

  /** As `ThreadOrder.compare`. */
  compare(): number {
    this.publish();
    this.paidBack = this.#board.paidBack;
    const best = this.counts.rangeOf(1);
    return best < 0 ? -1 : this.#board.better(best);
  }

  /** The shipped code takes the next page, and publishes what it has, as soon as a visit is over: not a round later. */
  publish(): void {
    let virtual = 0;
    let waiting = 0;
    for (const { book } of this.shards) {
      virtual += book.virtual;
      waiting += book.waiting;
    }
    const plenty = this.counts.rangeOf(Math.min(this.#parts.places, this.exchange.tolerable));
    this.#board.publish({ virtual, waiting, plenty });
  }

  /** The page to fetch next. Hosts take turns, as politeness makes them. */
  next(): { readonly shard: SimulatedShard; readonly number: number } | undefined {
    const queues = this.#queues!;
    this.#turns.push(...queues.refill(HOSTS_AT_ONCE));
    const host = this.#turns.shift();
    if (host === undefined) return undefined;
    const name = queues.next(host)!;
    if (queues.has(host)) this.#turns.push(host);
    const shard = this.shards[name % this.shards.length]!;
    const number = Math.floor(name / this.shards.length);
    this.exchange.taken(QUEUE_RANGES.of(shard.book.cash(number)));
    return { shard, number };
  }
}
