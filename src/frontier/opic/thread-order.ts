import type { PagePriority } from "../../config/page-handler.ts";
import type { CreditOrigin } from "../cash/cash-book.ts";
import { QUEUE_RANGES } from "../queue/range-queue.ts";
import { CashBoard, cashBoardBytes } from "./cash-board.ts";
import { ExchangeSize } from "./exchange-size.ts";
import { HostQueues } from "./host-queues.ts";
import type { KeyRecorder } from "./key-recorder.ts";
import { MergedOrder } from "./merged-order.ts";
import type { OpicOrder } from "./opic-order.ts";
import type { OpicQueue } from "./opic-queue.ts";
import { RangeCounts } from "./range-counts.ts";

/** R: pages drawn at a time; twice as many are looked at for the best one of a host (decision 0007). */
export const BATCH = 32;
/** Pages of one host that are ready in memory. */
export const CAPACITY = 64;
/** A thread with idle places looks past the pages of busy hosts this often. */
const ROUSE_MS = 250;

/** What the order of a thread works with. */
export interface ThreadOrderParts {
  /** Called when pages that were fetched before have got so many credits. */
  readonly onLate?: (origin: CreditOrigin, credits: number) => void;
  /** What pages are worth by themselves. */
  readonly priority?: PagePriority | undefined;
  /** Where threads show each other what they have; without it the thread is alone. */
  readonly board?: CashBoard;
  /** L: pages that the thread works on at a time. */
  readonly places?: number;
  readonly exchange?: ExchangeSize;
  /** Writes down what goes through the queues, for experiments. */
  readonly recorder?: KeyRecorder | undefined;
}

/** The shards of a thread as one order: which pages their hosts have to take. All shards join before the first draw. */
export class ThreadOrder {
  readonly #shards: OpicQueue[] = [];
  readonly #orders: OpicOrder[] = [];
  readonly #hosts: HostQueues;
  readonly #board: CashBoard;
  readonly #places: number;
  #rousedMs = Number.NEGATIVE_INFINITY;
  #paidBack = 0;

  readonly onLate: (origin: CreditOrigin, credits: number) => void;
  readonly priority: PagePriority | undefined;
  /** When this thread's shards exchange with others. */
  readonly exchange: ExchangeSize;
  /** What waits in all shards of the thread. */
  readonly counts = new RangeCounts();
  readonly recorder: KeyRecorder | undefined;

  constructor(parts: ThreadOrderParts = {}) {
    this.onLate = parts.onLate ?? (() => {});
    this.priority = parts.priority;
    this.exchange = parts.exchange ?? new ExchangeSize();
    this.recorder = parts.recorder;
    this.#board = parts.board ?? new CashBoard(new SharedArrayBuffer(cashBoardBytes(1)), 0);
    this.#places = parts.places ?? 1;
    this.#hosts = new HostQueues({
      order: new MergedOrder(this.#orders),
      hostOf: (page) =>
        this.#name(page % this.#count, this.#shardOf(page).hostOf(this.#local(page))),
      batch: BATCH,
      capacity: CAPACITY,
    });
  }

  /** A shard takes part; returns its place among the others. */
  join(queue: OpicQueue): number {
    this.#orders.push(queue.order);
    return this.#shards.push(queue) - 1;
  }

  /** The order of the shard at this place. */
  orderOf(place: number): OpicOrder {
    return this.#orders[place]!;
  }

  /** The part of a page of this crawl in what the virtual pages have. */
  get paidBack(): number {
    return this.#paidBack;
  }

  /** Q: pages that hosts have ready to be taken. */
  get depth(): number {
    return this.#hosts.depth;
  }

  /**
   * Publishes what this thread has and looks at what the others have. Returns the thread that has so many better pages
   * that it should be helped before own pages are taken; -1 when there is none.
   */
  compare(): number {
    let virtual = 0;
    let waiting = 0;
    for (const shard of this.#shards) {
      virtual += shard.book.virtual;
      waiting += shard.book.waiting;
    }
    // Pages for all places; in a young crawl so many would be late by too much.
    const plenty = this.counts.rangeOf(Math.min(this.#places, this.exchange.tolerable));
    this.#board.publish({ virtual, waiting, plenty });
    this.#paidBack = this.#board.paidBack;
    const best = this.counts.rangeOf(1);
    return best < 0 ? -1 : this.#board.better(best);
  }

  /** Draws until `wanted` hosts that had nothing to take have something, or those that have are enough to do. */
  refill(wanted: number): void {
    for (const host of this.#hosts.refill(wanted)) {
      this.#shards[host % this.#count]!.woken(this.#local(host));
    }
  }

  /** There are idle places and no host that may be asked: pages of other hosts are looked for behind theirs. */
  rouse(nowMs: number): boolean {
    if (nowMs - this.#rousedMs < ROUSE_MS) return false;
    this.#rousedMs = nowMs;
    this.#hosts.rouse();
    return true;
  }

  has(shard: number, host: number): boolean {
    return this.#hosts.has(this.#name(shard, host));
  }

  /** The host's next page, which is now fetched. */
  next(shard: number, host: number): number {
    const page = this.#local(this.#hosts.next(this.#name(shard, host))!);
    this.exchange.taken(QUEUE_RANGES.of(this.#shards[shard]!.cashOf(page)));
    return page;
  }

  get #count(): number {
    return this.#shards.length;
  }

  /** Pages and hosts of all shards have one numbering here. */
  #name(shard: number, number: number): number {
    return number * this.#count + shard;
  }

  #local(name: number): number {
    return Math.floor(name / this.#count);
  }

  #shardOf(name: number): OpicQueue {
    return this.#shards[name % this.#count]!;
  }
}
