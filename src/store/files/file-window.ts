import { closeSync, existsSync, fstatSync, openSync } from "node:fs";
import { readFully } from "./read-file.ts";

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

  /** At least `need` bytes from `offset`, fewer only where the file ends. They are not overwritten later. */
  at(offset: number, need: number): Buffer {
    const end = Math.min(offset + need, this.size);
    if (offset < this.#start || end > this.#start + this.#bytes.length) this.#move(offset, end);
    return this.#bytes.subarray(offset - this.#start);
  }

  /** Exactly these bytes, as far as the file has them. */
  slice(from: number, to: number): Buffer {
    return this.at(Math.min(from, this.size), to - from).subarray(0, to - from);
  }

  close(): void {
    closeSync(this.#file);
  }

  #move(offset: number, end: number): void {
    const wanted = Math.min(this.size, Math.max(end, offset + STEP_BYTES)) - offset;
    const bytes = Buffer.allocUnsafe(Math.max(0, wanted));
    this.#bytes = bytes.subarray(0, readFully(this.#file, bytes, offset));
    this.#start = offset;
  }
}

/** Where two files begin to differ; undefined when they are equal. A file that is not there is an empty one. */
export function firstDifference(a: string, b: string): number | undefined {
  if (!existsSync(a)) return 0;
  const [one, other] = [new FileWindow(a), new FileWindow(b)];
  try {
    const size = Math.max(one.size, other.size);
    for (let at = 0; at < size; at += STEP_BYTES) {
      const x = one.slice(at, at + STEP_BYTES);
      const y = other.slice(at, at + STEP_BYTES);
      if (x.equals(y)) continue;
      let same = 0;
      while (same < x.length && x[same] === y[same]) same++;
      return at + same;
    }
    return undefined;
  } finally {
    one.close();
    other.close();
  }
}
