import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const LOOK_BYTES = 4096;
const NEWLINE = 10;

/** A text file of sorted lines, with a binary search on disk. */
export class SortedLines {
  readonly #file: number;
  readonly #size: number;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.#size = fstatSync(this.#file).size;
  }

  /** The first line that begins with this text; undefined when there is none. */
  find(start: string): string | undefined {
    for (const line of this.all(start)) return line;
    return undefined;
  }

  /** All lines that begin with this text, in their order. */
  *all(start: string): Generator<string, void> {
    let low = 0;
    // Invariant: lines that begin before `low` are less, lines that begin at `high` or later are not.
    for (let high = this.#size; low < high; ) {
      const middle = Math.floor((low + high) / 2);
      const from = middle === 0 ? 0 : this.#nextLine(middle - 1);
      if (from >= high) high = middle;
      else if (this.#line(from) < start) low = from + 1;
      else high = middle;
    }
    for (let from = low === 0 ? 0 : this.#nextLine(low - 1); from < this.#size; ) {
      const line = this.#line(from);
      if (!line.startsWith(start)) return;
      yield line;
      from = this.#nextLine(from);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Where the line after the one with this byte begins. */
  #nextLine(at: number): number {
    const chunk = Buffer.allocUnsafe(LOOK_BYTES);
    for (let from = at; from < this.#size; from += LOOK_BYTES) {
      const got = readSync(this.#file, chunk, 0, LOOK_BYTES, from);
      const end = chunk.subarray(0, got).indexOf(NEWLINE);
      if (end >= 0) return from + end + 1;
    }
    return this.#size;
  }

  #line(from: number): string {
    const bytes = Buffer.allocUnsafe(this.#nextLine(from) - from);
    const got = readSync(this.#file, bytes, 0, bytes.length, from);
    return bytes.toString("latin1", 0, got).replace(/\n$/, "");
  }
}
