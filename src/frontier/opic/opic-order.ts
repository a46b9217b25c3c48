import type { CashBook, CreditOrigin } from "../cash/cash-book.ts";
import { ByteColumn } from "../cash/column.ts";
import { QUEUE_RANGES, type RangeQueue } from "../queue/range-queue.ts";
import type { PageOrder } from "./host-queues.ts";
import type { KeyRecorder } from "./key-recorder.ts";
import { RangeCounts } from "./range-counts.ts";

/** In the queue; taken for good; drawn, and set aside because its host has enough; drawn, and held by its host. */
const QUEUED = 0;
const TAKEN = 1;
const ASIDE = 2;
const HELD = 3;

/**
 * Which waiting page of a shard comes next: the one with the most cash. A credit that lifts a page into a higher range
 * of the queue inserts it again; the entry left behind no longer agrees with the page's cash and is skipped. So a page
 * has at most one valid entry, and at most one per range in all.
 */
export class OpicOrder implements PageOrder {
  /** Entries that were skipped because their page had been raised or taken since. */
  stale = 0;
  readonly #book: CashBook;
  readonly #queue: RangeQueue;
  readonly #counts: RangeCounts;
  readonly #states = new ByteColumn();
  readonly #recorder: KeyRecorder | undefined;

  /** `counts` and `recorder` are those of all orders of a thread. */
  constructor(
    book: CashBook,
    queue: RangeQueue,
    counts: RangeCounts = new RangeCounts(),
    recorder?: KeyRecorder,
  ) {
    this.#book = book;
    this.#queue = queue;
    this.#counts = counts;
    this.#recorder = recorder;
  }

  /** Entries in the queue, stale ones included. */
  get entries(): number {
    return this.#queue.size;
  }

  /** A new page with its first cash. */
  admit(page: number, amount: number): void {
    this.#book.admit(page, amount);
    this.#push(page, amount, QUEUE_RANGES.of(amount));
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
    else this.#push(page, before + amount, raised);
    return true;
  }

  /** Puts a page that waits back into the queue: the fold does so for all of them when a crawl is resumed. */
  restore(page: number): void {
    const cash = this.#book.cash(page);
    this.#push(page, cash, QUEUE_RANGES.of(cash));
  }

  /**
   * Draws up to `count` entries, best first, and appends the pages of those that are valid: they are held now. Page p is
   * given the name p * `step` + `first`.
   */
  draw(count: number, into: number[], step = 1, first = 0): void {
    const queue = this.#queue;
    for (let left = Math.min(count, queue.size); left > 0; left--) {
      const range = queue.topRange();
      const page = queue.shift();
      this.#recorder?.extract();
      const isQueued = this.#states.get(page) === QUEUED && !this.#book.isDone(page);
      if (isQueued && range === this.#rangeOf(page)) {
        this.#states.set(page, HELD);
        into.push(page * step + first);
      } else this.stale++;
    }
  }

  /** The range of the best entry; -1 when there is none. */
  topRange(): number {
    return this.#queue.topRange();
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

  #push(page: number, cash: number, range: number): void {
    this.#recorder?.insert(cash);
    this.#states.set(page, QUEUED);
    this.#counts.add(range);
    this.#queue.insert(cash, page, range);
  }
}
