import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";

/** Bytes of one block on disk. */
export const BLOCK_BYTES = 4096;

/** Whole blocks by number, synchronously: a queue waits for its own blocks only, and they are few. */
export interface BlockFile {
  /** Fills `into`, which has the length of a block, with what was written there last. */
  read(block: number, into: Uint8Array): void;
  write(block: number, from: Uint8Array): void;
}

/**
 * Blocks in a file that belongs to one run: it begins empty, is made with the first write and removed by `close`.
 * What it holds can be built again from the journal, so it is never synced.
 */
export class ScratchFile implements BlockFile {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
    rmSync(path, { force: true });
  }

  read(block: number, into: Uint8Array): void {
    let done = 0;
    while (done < into.length) {
      const at = block * BLOCK_BYTES + done;
      const got = readSync(this.#open(), into, done, into.length - done, at);
      if (got === 0) throw new Error(`${this.#path}: block ${block} was never written`);
      done += got;
    }
  }

  write(block: number, from: Uint8Array): void {
    let done = 0;
    while (done < from.length) {
      const at = block * BLOCK_BYTES + done;
      done += writeSync(this.#open(), from, done, from.length - done, at);
    }
  }

  /** Removes the file. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#path, { force: true });
  }

  #open(): number {
    this.#file ??= openSync(this.#path, "w+");
    return this.#file;
  }
}
