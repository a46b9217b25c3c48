import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/** The calls by which a journal changes the disk; a parameter, so that tests can make them fail, record them and lose them. */
export interface JournalFiles {
  /** Opens a file to append to, a new one or one that is empty; refuses one that holds anything. */
  create(path: string): number;
  /** Opens an existing file in order to cut or sync it. */
  open(path: string): number;
  /** Appends bytes from `from` on; returns how many. */
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
  create(path) {
    const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
    if (fstatSync(file).size === 0) return file;
    closeSync(file);
    throw Object.assign(new Error(`${path} is not empty`), { code: "EEXIST" });
  },
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
  return nameOf(shard, segment, "journal");
}

/** `shard-03.000017.snapshot`: everything up to and including segment 17. */
export function snapshotName(shard: number, segment: number): string {
  return nameOf(shard, segment, "snapshot");
}

/** `shard-03.000017.done`: the ends of URLs in the segments that this snapshot replaced. */
export function doneName(shard: number, segment: number): string {
  return nameOf(shard, segment, "done");
}

/**
 * Creates the empty file of a segment that will be written next, unless it exists. It exists before anything in the
 * segment before it counts, so that a lost segment is noticed. Its name is durable when the folder is synced.
 */
export function reserveSegment(
  folder: string,
  shard: number,
  segment: number,
  files: JournalFiles = REAL_FILES,
): void {
  const path = join(folder, segmentName(shard, segment));
  if (!existsSync(path)) files.close(files.create(path));
}

/** Opens a file, changes it as `change` says, and makes that durable. */
export function syncFile(
  files: JournalFiles,
  path: string,
  change: (file: number) => void = () => {},
): void {
  const file = files.open(path);
  try {
    change(file);
    files.sync(file);
  } finally {
    files.close(file);
  }
}

function nameOf(shard: number, segment: number, kind: string): string {
  const [two, six] = [String(shard).padStart(2, "0"), String(segment).padStart(6, "0")];
  return `shard-${two}.${six}.${kind}`;
}
