import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import type { AppendFile } from "./append-file.ts";
import { openLineMemory } from "./line-memory.ts";

/** Whole lines in their byte order (LC_ALL=C), as `readLines` gives them. */
export interface LineRun extends Iterable<string> {
  /** Writes the lines, equal ones once if asked for; answers how many. */
  writeTo(file: AppendFile, once: boolean, limit?: TimeLimit): number;
}

/** Sorts lines, one run after the other. */
export interface LineSorter {
  /** Memory for so many bytes, from whose beginning `sort` takes lines without a copy; valid until the next call. */
  room(bytes: number): Buffer;
  /** Takes `bytes`, which end with a line end or are empty. The run is valid until the next call. */
  sort(bytes: Buffer): LineRun;
}

/** A sorter in a memory of its own, where no line becomes a string unless somebody asks for it; without its code one of strings. */
export function openLineSorter(): LineSorter {
  return openLineMemory() ?? { room: Buffer.allocUnsafe, sort: (bytes) => new StringRun(bytes) };
}

const LINES_PER_CHECK = 4096;

/** The same as strings. */
export class StringRun implements LineRun {
  readonly #lines: string[];

  constructor(bytes: Buffer) {
    // One character per byte, so that their order is that of the bytes.
    this.#lines = bytes.toString("latin1").split("\n").slice(0, -1).sort();
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#lines[Symbol.iterator]();
  }

  writeTo(file: AppendFile, once: boolean, limit: TimeLimit = NO_LIMIT): number {
    let last: string | undefined;
    let written = 0;
    for (const line of this.#lines) {
      if (once && line === last) continue;
      last = line;
      file.write(Buffer.from(`${line}\n`, "latin1"));
      if (++written % LINES_PER_CHECK === 0) limit.check();
    }
    return written;
  }
}
