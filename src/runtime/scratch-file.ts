import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { diskFault } from "../errors.ts";

const { O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC } = constants;

/** Disk space for what can be rebuilt: nothing in it has to survive, so nothing is ever synced. */
export interface ScratchFile {
  /** Writes all bytes at an offset; throws DiskFullError when they do not fit. */
  write(bytes: Uint8Array, offset: number): void;
  /** Reads from an offset into `into`, or into its bytes between `from` and `to`. */
  read(into: Uint8Array, offset: number, from?: number, to?: number): void;
  close(): void;
}

/** A scratch file on disk. Its name is removed at once, so that it never outlives the process. */
export function openScratchFile(path: string): ScratchFile {
  let file: number;
  try {
    file = openSync(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  } catch (cause) {
    throw diskFault(cause, "queued URLs");
  }
  unlinkSync(path);
  return {
    write(bytes, offset) {
      try {
        for (let done = 0; done < bytes.length; ) {
          done += writeSync(file, bytes, done, bytes.length - done, offset + done);
        }
      } catch (cause) {
        throw diskFault(cause, "queued URLs");
      }
    },
    read(into, offset, from = 0, to = into.length) {
      for (let at = from; at < to; ) {
        const count = readSync(file, into, at, to - at, offset + at - from);
        if (count === 0) return;
        at += count;
      }
    },
    close: () => closeSync(file),
  };
}
