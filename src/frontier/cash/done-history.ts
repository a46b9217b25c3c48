import { CREDIT_BYTES } from "../journal/event-batch.ts";
import { readWide, word } from "../link/words.ts";
import { DoubleColumn } from "./column.ts";
import { CreditList } from "./credit-list.ts";
import { PageTable } from "./page-table.ts";

/** Pages in one piece of a snapshot. */
const MAX_PAGES = 1 << 14;

/** What pages that are done have ever got, added up while a snapshot is written: their cash is spent, their worth is not. */
export class DoneHistory {
  readonly #pages = new PageTable();
  readonly #got = new DoubleColumn();

  add(low: number, high: number, amount: number): void {
    const found = this.#pages.find(low, high);
    const page = found < 0 ? this.#pages.add(low, high) : found;
    this.#got.set(page, this.#got.get(page) + amount);
  }

  /** As a snapshot keeps it: fingerprint 2 x 32, amount 64, for each page. */
  *pieces(): Generator<Buffer> {
    const list = new CreditList();
    for (let page = 0; page < this.#pages.size; page++) {
      const got = Math.min(this.#got.get(page), Number.MAX_SAFE_INTEGER);
      list.add(this.#pages.low(page), this.#pages.high(page), got);
      if (list.length < MAX_PAGES && page < this.#pages.size - 1) continue;
      yield list.bytes;
      list.clear();
    }
  }
}

/** Calls `use` for each page of such a piece. */
export function eachHistory(
  bytes: Buffer,
  from: number,
  to: number,
  use: (low: number, high: number, amount: number) => void,
): void {
  for (let at = from; at < to; at += CREDIT_BYTES)
    use(word(bytes, at), word(bytes, at + 4), readWide(bytes, at + 8));
}
