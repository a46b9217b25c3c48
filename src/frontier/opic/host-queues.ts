import { QUEUE_RANGES } from "../../queue/range-queue.ts";
import { Deque } from "../deque.ts";
import { UNIT } from "./cash-book.ts";

/** Priority classes of a host's overflow. */
export const CLASSES = 8;
const RANGES_PER_CLASS = 16; // four powers of two
const TOP_RANGE = QUEUE_RANGES.of(UNIT);

/** Where pages come from, best first: `OpicOrder`, or any order that knows a page's worth. */
export interface PageOrder {
  /** Entries that can still be drawn. */
  readonly entries: number;
  /** Draws up to `count` entries and appends the pages of the valid ones, best first. */
  draw(count: number, into: number[]): void;
  /** The page leaves the order for good. */
  take(page: number): void;
  /** False once the page is taken or done: a copy of it that waits somewhere is stale. */
  isWaiting(page: number): boolean;
}

/** What the queues of hosts are made of. */
export interface HostQueuesParts {
  readonly order: PageOrder;
  hostOf(page: number): number;
  /** Cash of a page: decides the class of its overflow. */
  cashOf(page: number): number;
  /** R: pages drawn at a time. */
  readonly batch: number;
  /** Pages of one host that are ready in memory. */
  readonly capacity: number;
}

interface HostQueue {
  readonly ready: Deque<number>;
  /** Pages that found no room, by class; stale copies among them. */
  readonly overflow: (Deque<number> | undefined)[];
}

/**
 * The best pages, sorted by host, because only hosts whose time has come can be asked. Pages are drawn from the order
 * and fill small queues per host. A host whose queue is full keeps the rest in eight classes, best first.
 *
 * Drawing stops when enough hosts are awake, or after 2 R pages in a row that woke none: they belong to hosts that have
 * enough to do. Every page taken allows one more of these. So hardly more than 2 R pages per host are
 * out of the order (numbers in memory, their records stay where they are), and with one host the crawl goes best first.
 */
export class HostQueues {
  /** Pages that found their host's queue full. */
  overflowed = 0;
  readonly #parts: HostQueuesParts;
  readonly #hosts = new Map<number, HostQueue>();
  readonly #drawn: number[] = [];
  /** Pages that may still wake nobody. */
  #patience: number;
  #depth = 0;

  constructor(parts: HostQueuesParts) {
    this.#parts = parts;
    this.#patience = 2 * parts.batch;
  }

  /** Draws until `wanted` hosts that had nothing have something, or patience ends; returns these hosts. */
  refill(wanted: number): number[] {
    const { order, batch } = this.#parts;
    const woken: number[] = [];
    while (woken.length < wanted && this.#patience > 0 && order.entries > 0) {
      this.#drawn.length = 0;
      order.draw(Math.min(batch, this.#patience), this.#drawn);
      // Stale entries try nobody's patience: many in a row must not hide the pages behind them.
      for (const page of this.#drawn) {
        const host = this.#parts.hostOf(page);
        this.#patience--;
        if (!this.#put(host, page)) continue;
        woken.push(host);
        this.#patience = 2 * batch;
      }
    }
    return woken;
  }

  /** Patience begins anew: somebody has nothing to do. */
  rouse(): void {
    this.#patience = 2 * this.#parts.batch;
  }

  /** The next page of a host, which the caller now fetches; undefined when the host has none. */
  next(host: number): number | undefined {
    const queue = this.#hosts.get(host);
    if (queue === undefined) return undefined;
    const page = queue.ready.shift();
    if (page !== undefined) this.#depth--;
    this.#topUp(queue);
    if (queue.ready.size === 0) this.#hosts.delete(host);
    if (page !== undefined) this.#patience = Math.min(this.#patience + 1, 2 * this.#parts.batch);
    return page;
  }

  /** True while the host has a page; it is told by `refill` again when it gets one after having none. */
  has(host: number): boolean {
    return this.#hosts.has(host);
  }

  /** Hosts that have a page. */
  get awake(): number {
    return this.#hosts.size;
  }

  /** Pages that are ready to be taken. */
  get depth(): number {
    return this.#depth;
  }

  /** True if the host had nothing before. */
  #put(host: number, page: number): boolean {
    let queue = this.#hosts.get(host);
    const isNew = queue === undefined;
    if (queue === undefined) {
      queue = { ready: new Deque(), overflow: [] };
      this.#hosts.set(host, queue);
    }
    if (queue.ready.size < this.#parts.capacity) {
      this.#ready(queue, page);
      return isNew;
    }
    // It still waits: a raise brings it back into the order, and what is here becomes a stale copy.
    const priority = classOf(this.#parts.cashOf(page));
    queue.overflow[priority] ??= new Deque();
    queue.overflow[priority].pushBack(page);
    this.overflowed++;
    return false;
  }

  #ready(queue: HostQueue, page: number): void {
    this.#parts.order.take(page);
    queue.ready.pushBack(page);
    this.#depth++;
  }

  /** Keeps the queue of a host full while it has pages that found no room, best class first. */
  #topUp(queue: HostQueue): void {
    for (let at = 0; at < queue.overflow.length; at++) {
      const waiting = queue.overflow[at];
      while (waiting !== undefined && waiting.size > 0) {
        if (queue.ready.size >= this.#parts.capacity) return;
        const page = waiting.shift()!;
        if (this.#parts.order.isWaiting(page)) this.#ready(queue, page);
      }
      queue.overflow[at] = undefined;
    }
  }
}

/** 0 is the best class: more than a sixteenth of a unit. */
export function classOf(cash: number): number {
  const below = Math.max(0, TOP_RANGE - QUEUE_RANGES.of(cash));
  return Math.min(CLASSES - 1, Math.floor(below / RANGES_PER_CLASS));
}
