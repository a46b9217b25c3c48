import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { diskFault } from "../../errors.ts";
import {
  doNow,
  type FileWork,
  syncOf,
  type WriteBytes,
  writeSome,
} from "../../runtime/file-work.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export type { WriteBytes };

/**
 * A file with one writer that only grows, each write all or nothing: when the disk cannot take the
 * rest of a write, what was written of it is cut off again and the caller may repeat the write.
 */
export class AppendFile {
  readonly path: string;
  readonly #write: WriteBytes;
  readonly #file: number;
  #size: number;
  #open = true;

  /** Opens to append; "new" refuses an existing file. Links are not followed out of the folder. */
  constructor(path: string, mode: "new" | "append", write: WriteBytes = writeSync) {
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | (mode === "new" ? O_EXCL : 0);
    this.path = path;
    this.#write = write;
    try {
      this.#file = openSync(path, flags, 0o644);
    } catch (cause) {
      throw diskFault(cause, path);
    }
    this.#size = fstatSync(this.#file).size;
  }

  /** Bytes in the file, all of them whole writes. */
  get size(): number {
    return this.#size;
  }

  /** Appends all bytes or none. */
  write(bytes: Uint8Array): void {
    doNow(this.writing(bytes));
  }

  /** The same as work; the bytes must stay as they are until it is done. */
  *writing(bytes: Uint8Array): FileWork {
    let done = 0;
    try {
      while (done < bytes.length) done += yield* writeSome(this.#file, bytes, done, this.#write);
    } catch (cause) {
      // One writer per file, so everything behind #size is this write's torn beginning.
      if (done > 0) ftruncateSync(this.#file, this.#size);
      throw diskFault(cause, `${bytes.length} more bytes in ${this.path}`);
    }
    this.#size += done;
  }

  /**
   * Returns when everything written so far survives a power loss. After a failure the system may have dropped what was
   * written, and the next sync would succeed: the fault is no DiskFullError, because it must not be repeated.
   */
  sync(): void {
    doNow(this.syncing());
  }

  *syncing(): FileWork {
    if (this.#open) yield* syncOf(this.#file);
  }

  /** Closes the file; a second call does nothing. */
  close(): void {
    doNow(this.closing());
  }

  // biome-ignore lint/correctness/useYield: an archive file has to be synced before
  *closing(): FileWork {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#file);
  }
}
