import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { diskFault } from "../errors.ts";

const { O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC } = constants;

/** Room beyond memory for what can be rebuilt: it holds nothing that must survive, so nothing is ever synced. */
export interface ScratchFile {
  /** Writes all bytes at an offset; throws DiskFullError when they do not fit. */
  write(bytes: Uint8Array, offset: number): void;
  /** Fills `into` from an offset. */
  read(into: Uint8Array, offset: number): void;
  close(): void;
}

/** A scratch file on disk. Its name is removed at once, so that no death of the process leaves it behind. */
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
    read(into, offset) {
      for (let done = 0; done < into.length; ) {
        const count = readSync(file, into, done, into.length - done, offset + done);
        if (count === 0) return;
        done += count;
      }
    },
    close: () => closeSync(file),
  };
}
