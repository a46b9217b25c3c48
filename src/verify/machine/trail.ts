/** An array of numbers whose changes can be undone. */
export class Trail {
  readonly mem: Int32Array;
  /** The same memory as bytes. */
  readonly bytes: Uint8Array;
  /** Cells that have ever changed, in the order of their first change. */
  readonly changed: number[] = [];
  readonly #isChanged: Uint8Array;
  #trail: Int32Array = new Int32Array(1 << 12);
  #mark = 0;

  constructor(cells: number) {
    this.mem = new Int32Array(cells);
    this.bytes = new Uint8Array(this.mem.buffer);
    this.#isChanged = new Uint8Array(cells);
  }

  /** A place to undo back to. */
  mark(): number {
    return this.#mark;
  }

  /** Takes back everything since the mark. */
  undo(mark: number): void {
    const trail = this.#trail;
    const mem = this.mem;
    let at = this.#mark;
    while (at > mark) {
      at -= 2;
      mem[trail[at]!] = trail[at + 1]!;
    }
    this.#mark = mark;
  }

  /** Forgets how to undo what happened so far. */
  commit(): void {
    this.#mark = 0;
  }

  /** Changes one cell so that it can be undone. */
  set(cell: number, value: number): void {
    if (this.#mark + 2 > this.#trail.length) {
      const longer = new Int32Array(this.#trail.length * 2);
      longer.set(this.#trail);
      this.#trail = longer;
    }
    if (this.#isChanged[cell] === 0) {
      this.#isChanged[cell] = 1;
      this.changed.push(cell);
    }
    this.#trail[this.#mark++] = cell;
    this.#trail[this.#mark++] = this.mem[cell]!;
    this.mem[cell] = value;
  }
}
