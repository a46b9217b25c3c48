import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Small enough that what is read stays in the cache while it is checked and folded. */
const FIRST_BYTES = 256 * 1024;

/** A moving view of one file, in as much memory as the largest piece needs, whatever the size of the file. */
export class SegmentWindow {
  readonly path: string;
  /** Bytes of the file when it was opened. */
  readonly size: number;
  readonly #file: number;
  #bytes: Buffer;
  #from = 0;
  #to = 0;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "r");
    this.size = fstatSync(this.#file).size;
    this.#bytes = Buffer.allocUnsafe(Math.min(FIRST_BYTES, this.size));
  }

  /** The memory in which `at` finds things; it changes when more is read. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Where the byte at `offset` of the file is in `bytes`, with `length` of them there; -1 when the file is shorter. */
  at(offset: number, length: number): number {
    if (offset + length > this.size) return -1;
    if (offset < this.#from || offset + length > this.#to) this.#load(offset, length);
    return offset - this.#from;
  }

  close(): void {
    closeSync(this.#file);
  }

  #load(offset: number, length: number): void {
    // Batches that were returned before are no longer valid.
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafe(2 * length);
    this.#from = offset;
    this.#to = offset;
    const want = Math.min(this.#bytes.length, this.size - offset);
    while (this.#to < offset + want) {
      const filled = this.#to - offset;
      const got = readSync(this.#file, this.#bytes, filled, want - filled, this.#to);
      if (got === 0) throw new Error(`${this.path} became shorter while it was read`);
      this.#to += got;
    }
  }
}
