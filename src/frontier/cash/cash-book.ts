import { OrbweaverError } from "../../errors.ts";
import { DoubleColumn } from "./column.ts";

/** What a seed begins with. Large enough to be divided often, small enough that 65,536 of them add up exactly. */
export const UNIT = 2 ** 36;

/** A shard mints no more than this, so that every sum in its book stays an exact integer. */
export const MAX_MINTED = 2 ** 52;

/** Where a credit comes from: a page of the same shard or a block of another one. */
export type CreditOrigin = "own" | "foreign";

/**
 * The cash of one shard in integers (OPIC: Abiteboul, Preda, Cobena 2003). Pages are numbered in the order of their
 * admission. Everything that is not in the hands of a waiting page is the virtual page's: so nothing can be lost, and
 *
 *   minted + received - sent = held by waiting pages + held by the virtual page
 *
 * holds after every call. A page is crawled once: what reaches it later adds to its history and stays with the virtual
 * page. The book knows no policy. The crawl and the fold over its journal make the same calls and get the same book.
 */
export class CashBook {
  /** Cash made here: units of seeds and home pages. */
  minted = 0;
  /** Cash that came in blocks of other shards; the same amount may have been taken off here and of `sent`. */
  received = 0;
  /** Cash that went away in blocks to other shards, likewise. */
  sent = 0;
  /** Sum of the cash of waiting pages. */
  held = 0;
  /** Cash of the virtual page; below zero only in the middle of a batch. */
  virtual = 0;
  /** Pages that wait. */
  waiting = 0;
  /** Credits for pages already fetched: what the paper calls failures. */
  readonly late = { own: 0, foreign: 0 };
  /** All that a page ever got; done pages carry it as -1 - x. */
  readonly #got = new DoubleColumn();

  /** New cash, in the hands of the virtual page until it is credited. */
  mint(amount: number): void {
    this.minted += checked(amount);
    this.virtual += amount;
  }

  /** A page is known and has this cash. */
  admit(page: number, amount: number): void {
    this.#got.set(page, checked(amount));
    this.#pay(amount);
    this.waiting++;
  }

  /** Gives cash to a known page. Returns the cash it had before, or -1 if it comes too late to be spent. */
  credit(page: number, amount: number, origin: CreditOrigin): number {
    const got = this.#got.get(page);
    if (got < 0) {
      this.#got.set(page, got - checked(amount));
      if (origin === "own") this.late.own++;
      else this.late.foreign++;
      return -1;
    }
    this.#got.set(page, got + checked(amount));
    this.#pay(amount);
    return got;
  }

  /** The page is done: its cash goes to the virtual page, from which its links are credited. Returns that cash. */
  spend(page: number): number {
    const got = this.#got.get(page);
    if (got < 0) return 0;
    this.#got.set(page, -1 - got);
    this.#pay(-got);
    this.waiting--;
    return got;
  }

  /** A block with so much cash goes to another shard. */
  send(amount: number): void {
    this.sent += checked(amount);
    this.virtual -= amount;
  }

  /** A block with so much cash has come; its links are credited next. */
  receive(amount: number): void {
    this.received += checked(amount);
    this.virtual += amount;
    if (this.received <= MAX_MINTED) return;
    // The same coins come and go for ever: only the difference stays an exact integer.
    const both = Math.min(this.received, this.sent);
    this.received -= both;
    this.sent -= both;
  }

  /** What the page could spend now; 0 when it is done. */
  cash(page: number): number {
    return Math.max(0, this.#got.get(page));
  }

  /** The same of several pages; page p goes by any of the `step` names from p * `step` on. */
  cashOfAll(names: readonly number[], step: number, into: Float64Array): void {
    this.#got.getAll(names, step, into);
    for (let i = 0; i < names.length; i++) if (into[i]! < 0) into[i] = 0;
  }

  /** All that the page ever got: its importance as far as it is known. */
  history(page: number): number {
    const got = this.#got.get(page);
    return got < 0 ? -1 - got : got;
  }

  /** A snapshot knows that the page, which is done, got this much. */
  remember(page: number, amount: number): void {
    const got = this.#got.get(page);
    if (got < 0) this.#got.set(page, got - amount);
  }

  isDone(page: number): boolean {
    return this.#got.get(page) < 0;
  }

  /** Checks the balance at the end of a batch; if it is wrong, the events are. */
  settle(): void {
    const total = this.minted + this.received - this.sent;
    if (this.virtual >= 0 && total === this.held + this.virtual) return;
    throw new OrbweaverError(
      "OW_CASH",
      `the cash of a shard does not add up: ${total} in all, ${this.held} held, ${this.virtual} left`,
    );
  }

  #pay(amount: number): void {
    this.held += amount;
    this.virtual -= amount;
  }
}

function checked(amount: number): number {
  if (Number.isSafeInteger(amount) && amount >= 0) return amount;
  throw new OrbweaverError("OW_CASH", `${amount} is not an amount of cash`);
}
