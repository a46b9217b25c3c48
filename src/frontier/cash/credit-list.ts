import { CREDIT_BYTES } from "../journal/event-batch.ts";

const FIRST_CREDITS = 64;
const TWO_32 = 2 ** 32;

/** Credits as journals and blocks hold them: fingerprint 2 x 32, amount 64. Reusable: `clear` keeps the memory. */
export class CreditList {
  #bytes = Buffer.allocUnsafe(FIRST_CREDITS * CREDIT_BYTES);
  /** The same bytes. */
  #view = viewOf(this.#bytes);
  #used = 0;
  /** Sum of the amounts. */
  total = 0;

  get length(): number {
    return this.#used / CREDIT_BYTES;
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
      this.#view = viewOf(more);
    }
    const view = this.#view;
    view.setUint32(at, low, true);
    view.setUint32(at + 4, high, true);
    view.setUint32(at + 8, amount, true);
    view.setUint32(at + 12, amount / TWO_32, true);
    this.#used = at + CREDIT_BYTES;
    this.total += amount;
  }

  clear(): void {
    this.#used = 0;
    this.total = 0;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
