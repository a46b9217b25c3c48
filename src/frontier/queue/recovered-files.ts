import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { StoreCorruptError } from "../../errors.ts";
import { LINK_BYTES, linkEnd } from "../link/link-codec.ts";
import type { WaitingRun } from "../link/waiting-run.ts";
import type { RecoveredPlace } from "./queue-record.ts";

/** Enough for a journal of 4 GiB; more of it is copied. */
const MAX_FILES = 64;
/** Smaller files are copied, which takes little time: every run begins one, so there may be many. */
const MIN_BYTES = 1 << 20;

interface RecoveredFile {
  readonly path: string;
  readonly file: number;
  /** Runs that are still to be read. */
  runs: number;
}

/**
 * Journals and snapshots with links that recovery left there. They stay open, so it does not matter that a compaction
 * removes their names. A file is closed when its last run was read.
 */
export class RecoveredFiles {
  readonly #maxFiles: number;
  readonly #minBytes: number;
  readonly #numbers = new Map<string, number>();
  readonly #open = new Map<number, RecoveredFile>();
  #last = 0;
  #room = Buffer.allocUnsafe(4096);

  /** `maxFiles` may be open at once; tests set a small `minBytes`. */
  constructor({ maxFiles = MAX_FILES, minBytes = MIN_BYTES } = {}) {
    this.#maxFiles = Math.min(maxFiles, MAX_FILES);
    this.#minBytes = minBytes;
  }

  /** Files open now. */
  get size(): number {
    return this.#open.size;
  }

  /** Counts a run of this file; the file's number, or 0 when what is in it should be copied. */
  keep(path: string): number {
    let number = this.#numbers.get(path);
    if (number === undefined) {
      number = this.#start(path);
      this.#numbers.set(path, number);
    }
    if (number !== 0) this.#open.get(number)!.runs++;
    return number;
  }

  /** Reads a run again; valid until the next one is read. */
  read({ file, head, headEnd, from, to, fingerprint, links }: RecoveredPlace): WaitingRun {
    const { path } = this.#open.get(file)!;
    const headBytes = headEnd - head;
    const linkBytes = to - from;
    const total = headBytes + linkBytes + 8 * links;
    if (total > this.#room.length) this.#room = Buffer.allocUnsafe(2 * total);
    this.#fill(file, 0, headBytes, head);
    this.#fill(file, headBytes, linkBytes, from);
    this.#fill(file, headBytes + linkBytes, 8 * links, fingerprint);
    const run: WaitingRun = {
      bytes: this.#room,
      head: 0,
      headEnd: headBytes,
      from: headBytes,
      to: headBytes + linkBytes,
      fingerprint: headBytes + linkBytes,
      links,
      file: path,
      fileAhead: undefined,
    };
    if (countLinks(run) !== links) this.#fail(path, from);
    return run;
  }

  /** A run of this file was read for the last time. */
  release(number: number): void {
    const file = this.#open.get(number)!;
    if (--file.runs > 0) return;
    this.#numbers.delete(file.path);
    this.#open.delete(number);
    closeSync(file.file);
  }

  close(): void {
    for (const { file } of this.#open.values()) closeSync(file);
    this.#open.clear();
    this.#numbers.clear();
  }

  #start(path: string): number {
    if (this.#open.size >= this.#maxFiles) return 0;
    const file = openSync(path, "r");
    if (fstatSync(file).size < this.#minBytes) {
      closeSync(file);
      return 0;
    }
    this.#open.set(++this.#last, { path, file, runs: 0 });
    return this.#last;
  }

  #fill(number: number, at: number, length: number, from: number): void {
    const { file, path } = this.#open.get(number)!;
    for (let done = 0; done < length; ) {
      const got = readSync(file, this.#room, at + done, length - done, from + done);
      if (got === 0) this.#fail(path, from + done);
      done += got;
    }
  }

  /** It was whole when the shard was opened. */
  #fail(path: string, offset: number): never {
    throw new StoreCorruptError(
      `${path}:${offset}: queued links have changed since they were read`,
    );
  }
}

/** How many links fill the run exactly; -1 when none do. */
function countLinks({ bytes, from, to }: WaitingRun): number {
  let links = 0;
  let at = from;
  for (; at + LINK_BYTES <= to; links++) at = linkEnd(bytes, at);
  return at === to ? links : -1;
}
