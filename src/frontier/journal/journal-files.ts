import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** The calls by which a journal changes the disk; handed in so that tests can fail, record and lose them. */
export interface JournalFiles {
  /** Makes a new file to append to; refuses an existing one. */
  create(path: string): number;
  /** Opens an existing file in order to cut or sync it. */
  open(path: string): number;
  /** Appends bytes from `from` on; answers how many. */
  write(file: number, bytes: Uint8Array, from: number): number;
  truncate(file: number, size: number): void;
  sync(file: number): void;
  close(file: number): void;
  remove(path: string): void;
  rename(from: string, to: string): void;
  /** Makes the names in a folder durable: a new file is not safe before this. */
  syncFolder(folder: string): void;
}

/** The real disk. Links are not followed out of the folder. */
export const REAL_FILES: JournalFiles = {
  create: (path) => openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644),
  open: (path) => openSync(path, O_WRONLY | O_NOFOLLOW),
  write: writeSync,
  truncate: ftruncateSync,
  sync: fsyncSync,
  close: closeSync,
  remove: unlinkSync,
  rename: renameSync,
  syncFolder(folder) {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  },
};

/** `shard-03.000017.journal`. */
export function segmentName(shard: number, segment: number): string {
  return `shard-${String(shard).padStart(2, "0")}.${String(segment).padStart(6, "0")}.journal`;
}

/** Numbers of the segments of a shard in a folder, ascending. */
export function listSegments(folder: string, shard: number): number[] {
  const numbers: number[] = [];
  for (const name of readdirSync(folder)) {
    const digits = /^shard-\d+\.(\d+)\.journal$/.exec(name)?.[1];
    const segment = Number(digits);
    if (digits !== undefined && name === segmentName(shard, segment)) numbers.push(segment);
  }
  return numbers.sort((a, b) => a - b);
}
