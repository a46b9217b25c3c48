import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const STEP_BYTES = 1024 * 1024;

/** A file seen through a sliding window: any place can be looked at, memory stays near the need. */
export class FileWindow {
  readonly size: number;
  readonly #file: number;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.size = fstatSync(this.#file).size;
  }

  /** At least `need` bytes from `offset`, fewer only where the file ends. They stay as they are. */
  at(offset: number, need: number): Buffer {
    const end = Math.min(offset + need, this.size);
    if (offset < this.#start || end > this.#start + this.#bytes.length) this.#move(offset, end);
    return this.#bytes.subarray(offset - this.#start);
  }

  close(): void {
    closeSync(this.#file);
  }

  #move(offset: number, end: number): void {
    const wanted = Math.min(this.size, Math.max(end, offset + STEP_BYTES)) - offset;
    const bytes = Buffer.allocUnsafe(Math.max(0, wanted));
    let got = 0;
    while (got < bytes.length) {
      const more = readSync(this.#file, bytes, got, bytes.length - got, offset + got);
      // The file became shorter than it was when opened.
      if (more === 0) break;
      got += more;
    }
    this.#bytes = bytes.subarray(0, got);
    this.#start = offset;
  }
}
