import { lastFingerprint } from "../../hash/fingerprint.ts";
import { safeUri } from "../../store/files/safe-text.ts";
import { graphId, type IdRules } from "../../store/folder/graph-facts.ts";
import { idText } from "../../store/graph/link-log.ts";

const NONE = -1;

/** Numbers for URLs by their ids in the link graph: 20 to 40 bytes each, whatever the length of the URLs. */
export class NodeTable {
  readonly #ids: IdRules;
  #high = new Uint32Array(1024);
  #low = new Uint32Array(1024);
  /** Open addressing: places of ids, or NONE. */
  #slots = new Int32Array(4096).fill(NONE);
  size = 0;

  constructor(ids: IdRules) {
    this.#ids = ids;
  }

  /** The number of a URL, which is the next one if it is new. */
  add(url: string): number {
    graphId(safeUri(url), this.#ids);
    const { high, low } = lastFingerprint;
    const slot = this.#slotOf(high, low);
    const known = this.#slots[slot]!;
    if (known !== NONE) return known;
    if (this.size === this.#high.length) this.#growIds();
    this.#high[this.size] = high;
    this.#low[this.size] = low;
    this.#slots[slot] = this.size++;
    if (this.size * 2 > this.#slots.length) this.#growSlots();
    return this.size - 1;
  }

  /** The number of an id; -1 for one that was not added. */
  find(high: number, low: number): number {
    return this.#slots[this.#slotOf(high, low)]!;
  }

  /** The id of a number as text. */
  idOf(number: number): string {
    return idText(this.#high[number]!, this.#low[number]!);
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    let slot = (low ^ Math.imul(high, 0x9e3779b1)) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]!;
      if (number === NONE) return slot;
      if (this.#high[number] === high >>> 0 && this.#low[number] === low >>> 0) return slot;
    }
  }

  #growIds(): void {
    for (const name of ["high", "low"] as const) {
      const old = name === "high" ? this.#high : this.#low;
      const longer = new Uint32Array(old.length * 2);
      longer.set(old);
      if (name === "high") this.#high = longer;
      else this.#low = longer;
    }
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(NONE);
    for (let number = 0; number < this.size; number++)
      this.#slots[this.#slotOf(this.#high[number]!, this.#low[number]!)] = number;
  }
}
