import { PRINT_AND_AMOUNT_BYTES } from "../journal/event-batch.ts";
import { writeWide, writeWord } from "../journal/journal-format.ts";

/** Credits as journals and blocks hold them: fingerprint 2 x 32, amount 64. Reusable: `clear` keeps the memory. */
export class CreditList {
  #bytes = Buffer.allocUnsafe(64 * PRINT_AND_AMOUNT_BYTES);
  #used = 0;
  /** Sum of the amounts. */
  total = 0;

  get length(): number {
    return this.#used / PRINT_AND_AMOUNT_BYTES;
  }

  /** Valid until the next change. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  add(low: number, high: number, amount: number): void {
    const at = this.#used;
    if (at === this.#bytes.length) {
      const more = Buffer.allocUnsafe(2 * at);
      this.#bytes.copy(more);
      this.#bytes = more;
    }
    writeWord(this.#bytes, at, low);
    writeWord(this.#bytes, at + 4, high);
    writeWide(this.#bytes, amount, at + 8);
    this.#used = at + PRINT_AND_AMOUNT_BYTES;
    this.total += amount;
  }

  clear(): void {
    this.#used = 0;
    this.total = 0;
  }
}
