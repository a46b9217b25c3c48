import { Keys } from "../../queue/keys.ts";
import type { PriorityQueue } from "../../queue/priority-queue.ts";
import { QUEUE_RANGES } from "../../queue/range-queue.ts";
import type { CashBook, CreditOrigin } from "./cash-book.ts";
import { ByteColumn } from "./column.ts";
import type { PageOrder } from "./host-queues.ts";
import { RangeCounts } from "./range-counts.ts";

/** In the queue; taken for good; drawn, and set aside because its host has enough; drawn, and held by its host. */
const QUEUED = 0;
const TAKEN = 1;
const ASIDE = 2;
const HELD = 3;
/** The range of the best entry has to be asked for. */
const UNKNOWN = -2;

/**
 * Which waiting page of a shard comes next: the one with the most cash. A credit that lifts a page into a higher range
 * of the queue inserts it again; the entry left behind no longer agrees with the page's cash and is skipped. So a page
 * has at most one valid entry, and at most one per range in all.
 */
export class OpicOrder implements PageOrder {
  /** Entries that were skipped because their page had been raised or taken since. */
  stale = 0;
  readonly #book: CashBook;
  readonly #queue: PriorityQueue;
  readonly #counts: RangeCounts;
  readonly #states = new ByteColumn();
  readonly #raised = new Keys(256);
  readonly #drawn = new Keys(256);
  /** The range of the best entry. */
  #top = UNKNOWN;

  /** `counts` are those of all orders of a thread. */
  constructor(book: CashBook, queue: PriorityQueue, counts: RangeCounts = new RangeCounts()) {
    this.#book = book;
    this.#queue = queue;
    this.#counts = counts;
  }

  /** Entries in the queue, stale ones included. */
  get entries(): number {
    return this.#queue.size + this.#raised.length;
  }

  /** A new page with its first cash. */
  admit(page: number, amount: number): void {
    this.#book.admit(page, amount);
    this.#push(page, amount);
  }

  /** A known page gets cash; false when it is done: that comes too late. */
  credit(page: number, amount: number, origin: CreditOrigin): boolean {
    const before = this.#book.credit(page, amount, origin);
    if (before < 0) return false;
    const state = this.#states.get(page);
    if (state === TAKEN) return true;
    const range = QUEUE_RANGES.of(before);
    const raised = QUEUE_RANGES.of(before + amount);
    if (raised === range) return true;
    if (state !== ASIDE) this.#counts.remove(range);
    // Its host asks for the cash of what it holds when it takes a page: a second entry would come too late.
    if (state === HELD) this.#counts.add(raised);
    else this.#push(page, before + amount);
    return true;
  }

  /** Puts a page that waits back into the queue: the fold does so for all of them when a crawl is resumed. */
  restore(page: number): void {
    this.#push(page, this.#book.cash(page));
  }

  /**
   * Draws up to `count` entries, best first, and appends the pages of those that are valid: they are held now. Page p is
   * given the name p * `step` + `first`.
   */
  draw(count: number, into: number[], step = 1, first = 0): void {
    this.#flush();
    this.#drawn.clear();
    const { priorities, ids, length } = this.#queue.extractTop(count, this.#drawn);
    this.#top = UNKNOWN;
    for (let i = 0; i < length; i++) {
      const page = ids[i]!;
      const range = QUEUE_RANGES.of(priorities[i]!);
      const isQueued = this.#states.get(page) === QUEUED && !this.#book.isDone(page);
      if (isQueued && range === QUEUE_RANGES.of(this.#book.cash(page))) {
        this.#states.set(page, HELD);
        into.push(page * step + first);
      } else this.stale++;
    }
  }

  /** The range of the best entry; -1 when there is none. */
  topRange(): number {
    if (this.#top === UNKNOWN) {
      this.#flush();
      const best = this.#queue.peek();
      this.#top = best === undefined ? -1 : QUEUE_RANGES.of(best.priority);
    }
    return this.#top;
  }

  /** A page that is held finds no room: a raise brings it back into the queue. */
  setAside(page: number): void {
    this.#counts.remove(this.#rangeOf(page));
    this.#states.set(page, ASIDE);
  }

  /** There is room for a page that was set aside; false when it has been raised since, and left. */
  hold(page: number): boolean {
    if (this.#states.get(page) !== ASIDE || this.#book.isDone(page)) return false;
    this.#counts.add(this.#rangeOf(page));
    this.#states.set(page, HELD);
    return true;
  }

  /** The page is about to be fetched: no raise concerns it any more. */
  take(page: number): void {
    const state = this.#states.get(page);
    if (state === QUEUED || state === HELD) this.#counts.remove(this.#rangeOf(page));
    this.#states.set(page, TAKEN);
  }

  /** What a page has. */
  cashOf(page: number): number {
    return this.#book.cash(page);
  }

  /** What several pages have; page p goes by any of the `step` names from p * `step` on. */
  cashOfAll(names: readonly number[], into: Float64Array, step = 1): void {
    this.#book.cashOfAll(names, step, into);
  }

  /** True until the page is taken or done. */
  isWaiting(page: number): boolean {
    return this.#states.get(page) !== TAKEN && !this.#book.isDone(page);
  }

  #rangeOf(page: number): number {
    return QUEUE_RANGES.of(this.#book.cash(page));
  }

  /** Raises come one by one and go in as a batch. */
  #push(page: number, cash: number): void {
    const range = QUEUE_RANGES.of(cash);
    this.#states.set(page, QUEUED);
    this.#counts.add(range);
    this.#raised.push(cash, page);
    if (this.#top !== UNKNOWN && range > this.#top) this.#top = range;
  }

  #flush(): void {
    if (this.#raised.length === 0) return;
    this.#queue.insertMany(this.#raised);
    this.#raised.clear();
  }
}
