import { Deque } from "../../runtime/deque.ts";
import { UNIT } from "../cash/cash-book.ts";
import { QUEUE_RANGES } from "../queue/range-queue.ts";

/** Priority classes of a host's overflow. */
export const CLASSES = 8;
const RANGES_PER_CLASS = 32; // four powers of two
const TOP_RANGE = QUEUE_RANGES.of(UNIT);

/** Where pages come from, best first: `OpicOrder`, or any order that knows a page's worth. */
export interface PageOrder {
  /** Entries that can still be drawn. */
  readonly entries: number;
  /** Draws up to `count` entries and appends the pages of the valid ones, best first: a host holds them now. */
  draw(count: number, into: number[]): void;
  /** A page that is held finds no room with its host; a raise brings it back into the order. */
  setAside(page: number): void;
  /** Holds a page that was set aside; false when it is elsewhere by now, and the copy of it stale. */
  hold(page: number): boolean;
  /** A page that is held leaves the order for good. */
  take(page: number): void;
  /** What a page is worth now: raises of pages that are held show here. */
  cashOf(page: number): number;
  /** The same of some pages of one host. */
  cashOfAll(pages: readonly number[], into: Float64Array): void;
}

/** What the queues of hosts are made of. */
export interface HostQueuesParts {
  readonly order: PageOrder;
  hostOf(page: number): number;
  /** R: pages drawn at a time. */
  readonly batch: number;
  /** Pages of one host that are ready in memory. */
  readonly capacity: number;
}

interface HostQueue {
  /** Few pages, as they came: the best of them is looked for when it is needed, because they are raised meanwhile. */
  readonly ready: number[];
  /** None of them is worth less: pages that are held only rise. */
  floor: number;
  /** Pages that found no room, by class; stale copies among them. */
  readonly overflow: (Deque<number> | undefined)[];
}

/**
 * The best pages, sorted by host, because only hosts whose time has come can be asked. Pages are drawn from the order
 * and fill small queues per host, from which the best leaves first. A host whose queue is full keeps its best pages there
 * and the rest in eight classes.
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
  /** What the pages of the host at hand are worth. */
  readonly #worth: Float64Array;
  /** How many more pages may be drawn that wake no host. */
  #patience: number;
  #depth = 0;

  constructor(parts: HostQueuesParts) {
    this.#parts = parts;
    this.#patience = 2 * parts.batch;
    this.#worth = new Float64Array(parts.capacity + 1);
  }

  /** Draws until `wanted` hosts that had nothing have something, or patience ends; returns these hosts. */
  refill(wanted: number): number[] {
    const { order, batch } = this.#parts;
    const woken: number[] = [];
    while (woken.length < wanted && this.#patience > 0 && order.entries > 0) {
      const drawn: number[] = [];
      order.draw(Math.min(batch, this.#patience), drawn);
      // Stale entries do not count: many in a row must not hide the pages behind them.
      for (const page of drawn) {
        const host = this.#parts.hostOf(page);
        this.#patience--;
        if (!this.#put(host, page)) continue;
        woken.push(host);
        this.#patience = 2 * batch;
      }
    }
    return woken;
  }

  /** Resets the patience: there are idle places. */
  rouse(): void {
    this.#patience = 2 * this.#parts.batch;
  }

  /** The next page of a host, which the caller now fetches; undefined when the host has none. */
  next(host: number): number | undefined {
    const queue = this.#hosts.get(host);
    if (queue === undefined) return undefined;
    const { order, batch } = this.#parts;
    const page = removeAt(queue.ready, this.#bestOf(queue));
    order.take(page);
    this.#depth--;
    this.#topUp(queue);
    if (queue.ready.length === 0) this.#hosts.delete(host);
    this.#patience = Math.min(this.#patience + 1, 2 * batch);
    return page;
  }

  /** True while the host has a page; `refill` returns it again when it gets one after having none. */
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
    const known = this.#hosts.get(host);
    const queue = known ?? { ready: [], floor: Number.POSITIVE_INFINITY, overflow: [] };
    if (known === undefined) this.#hosts.set(host, queue);
    const cash = this.#parts.order.cashOf(page);
    if (queue.ready.length < this.#parts.capacity) {
      this.#hold(queue, page, cash);
    } else if (cash <= queue.floor) {
      this.#setAside(queue, page);
    } else {
      queue.ready.push(page);
      this.#setAside(queue, removeAt(queue.ready, this.#worstOf(queue)));
    }
    return known === undefined;
  }

  #hold(queue: HostQueue, page: number, cash: number): void {
    queue.ready.push(page);
    queue.floor = Math.min(queue.floor, cash);
    this.#depth++;
  }

  /** It still waits: a raise brings it back into the order, and what is here becomes a stale copy. */
  #setAside(queue: HostQueue, page: number): void {
    const { order } = this.#parts;
    const priority = classOf(order.cashOf(page));
    queue.overflow[priority] ??= new Deque();
    queue.overflow[priority].pushBack(page);
    order.setAside(page);
    this.overflowed++;
  }

  /** Keeps the queue of a host full while it has pages that found no room, best class first. */
  #topUp(queue: HostQueue): void {
    const { order, capacity } = this.#parts;
    for (let at = 0; at < queue.overflow.length; at++) {
      const waiting = queue.overflow[at];
      while (waiting !== undefined && waiting.size > 0) {
        if (queue.ready.length >= capacity) return;
        const page = waiting.shift()!;
        if (order.hold(page)) this.#hold(queue, page, order.cashOf(page));
      }
      queue.overflow[at] = undefined;
    }
  }

  /** Where in a host's queue its best page is; among equals the one that came first. */
  #bestOf({ ready }: HostQueue): number {
    const worth = this.#worth;
    this.#parts.order.cashOfAll(ready, worth);
    let best = 0;
    for (let at = 1; at < ready.length; at++) if (worth[at]! > worth[best]!) best = at;
    return best;
  }

  /** Where in a host's queue its worst page is; among equals the one that came last. */
  #worstOf(queue: HostQueue): number {
    const worth = this.#worth;
    this.#parts.order.cashOfAll(queue.ready, worth);
    let worst = 0;
    for (let at = 1; at < queue.ready.length; at++) if (worth[at]! <= worth[worst]!) worst = at;
    queue.floor = worth[worst]!;
    return worst;
  }
}

/** Takes one page out; the others keep their order. */
function removeAt(pages: number[], at: number): number {
  const page = pages[at]!;
  for (let i = at + 1; i < pages.length; i++) pages[i - 1] = pages[i]!;
  pages.pop();
  return page;
}

/** 0 is the best class: more than a sixteenth of a unit. */
export function classOf(cash: number): number {
  const below = Math.max(0, TOP_RANGE - QUEUE_RANGES.of(cash));
  return Math.min(CLASSES - 1, Math.floor(below / RANGES_PER_CLASS));
}
