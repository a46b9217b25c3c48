import { closeSync, openSync } from "node:fs";
import { linesAt, readFully } from "./read-file.ts";

/** The lines of a file in any order, by their number from 0; 8 bytes of memory for each. */
export class RandomLines {
  readonly #file: number;
  #starts = new Float64Array(1024);
  #lines = 0;

  constructor(path: string) {
    let end = 0;
    for (const [offset, line] of linesAt(path)) {
      this.#add(offset);
      end = offset + line.length + 1;
    }
    this.#add(end);
    this.#file = openSync(path, "r");
  }

  #add(offset: number): void {
    if (this.#lines === this.#starts.length) {
      const longer = new Float64Array(2 * this.#lines);
      longer.set(this.#starts);
      this.#starts = longer;
    }
    this.#starts[this.#lines++] = offset;
  }

  /** A line in UTF-8, without its end; a number that the file does not have is a fault of the caller. */
  at(number: number): string {
    if (number + 1 >= this.#lines) throw new RangeError(`line ${number} of ${this.#lines - 1}`);
    const start = this.#starts[number]!;
    const bytes = Buffer.allocUnsafe(this.#starts[number + 1]! - start - 1);
    readFully(this.#file, bytes, start);
    return bytes.toString("utf8");
  }

  close(): void {
    closeSync(this.#file);
  }
}
