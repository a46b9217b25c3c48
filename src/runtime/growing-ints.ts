/** A list of 32-bit numbers that grows, outside the heap, which has far less room than the machine. */
export class GrowingInts {
  #values = new Int32Array(1 << 10);
  length = 0;

  /** Bytes it takes now. */
  get bytes(): number {
    return this.#values.byteLength;
  }

  /** The number at a place. */
  at(index: number): number {
    return this.#values[index]!;
  }

  /** A copy of the numbers. */
  toArray(): Int32Array {
    return this.#values.slice(0, this.length);
  }

  /** Adds a number at the end. */
  push(value: number): void {
    if (this.length === this.#values.length) {
      const longer = new Int32Array(this.#values.length * 2);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.length++] = value;
  }
}
