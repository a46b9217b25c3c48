import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import type { AppendFile } from "./append-file.ts";

const LINE_FEED = 10;
/** Fewer lines are sorted by comparing them. */
const FEW = 12;
const WRITE_BYTES = 256 * 1024;
const LINES_PER_CHECK = 4096;

/**
 * Whole lines in one piece of memory, and their byte order (LC_ALL=C). They are sorted by the places where they begin, so
 * that no line becomes a string unless somebody asks for it.
 */
export class LineRun implements Iterable<string> {
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;

  /** Takes `bytes`, which end with a line end or are empty. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#starts = startsOf(bytes);
    sortStarts(bytes, this.#starts, 0, this.#starts.length, 0);
  }

  /** The lines in order, as `readLines` gives them. */
  *[Symbol.iterator](): Generator<string, void> {
    const bytes = this.#bytes;
    for (const start of this.#starts)
      yield bytes.toString("latin1", start, bytes.indexOf(LINE_FEED, start));
  }

  /** Writes the lines in order, equal ones once if asked for; answers how many. */
  writeTo(file: AppendFile, once: boolean, limit: TimeLimit = NO_LIMIT): number {
    const bytes = this.#bytes;
    let out = Buffer.allocUnsafe(Math.min(bytes.length, 2 * WRITE_BYTES));
    let used = 0;
    let written = 0;
    let last = -1;
    for (const start of this.#starts) {
      if (once && last >= 0 && compare(bytes, last, start, 0) === 0) continue;
      last = start;
      const end = bytes.indexOf(LINE_FEED, start) + 1;
      if (used + end - start > out.length) {
        file.write(out.subarray(0, used));
        used = 0;
        if (end - start > out.length) out = Buffer.allocUnsafe(end - start);
      }
      used += bytes.copy(out, used, start, end);
      if (++written % LINES_PER_CHECK === 0) limit.check();
    }
    file.write(out.subarray(0, used));
    return written;
  }
}

function startsOf(bytes: Buffer): Uint32Array {
  let starts = new Uint32Array(1024);
  let count = 0;
  for (let at = 0; at < bytes.length; at = bytes.indexOf(LINE_FEED, at) + 1) {
    if (count === starts.length) {
      const larger = new Uint32Array(2 * count);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at;
  }
  return starts.subarray(0, count);
}

/** The byte of a line at a depth, -1 at its end: a line is before all that go on. */
function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  return byte === LINE_FEED ? -1 : byte;
}

/** Compares lines whose first `depth` bytes are equal. */
function compare(bytes: Uint8Array, a: number, b: number, depth: number): number {
  for (let i = depth; ; i++) {
    const x = byteAt(bytes, a + i);
    const y = byteAt(bytes, b + i);
    if (x !== y || x < 0) return x - y;
  }
}

/**
 * Sorts the lines from `from` to `to`, whose first `depth` bytes are equal: three ways by their next byte, then each part
 * by itself. The largest part is the next turn of the loop, so the stack stays low whatever the lines are.
 */
function sortStarts(
  bytes: Uint8Array,
  starts: Uint32Array,
  from: number,
  to: number,
  depth: number,
): void {
  let [low, high, at] = [from, to, depth];
  while (high - low > FEW) {
    const pivot = middleOf(
      byteAt(bytes, starts[low]! + at),
      byteAt(bytes, starts[(low + high) >> 1]! + at),
      byteAt(bytes, starts[high - 1]! + at),
    );
    const equal = placeLess(bytes, starts, low, high, at, pivot);
    const more = placeLess(bytes, starts, equal, high, at, pivot + 1);
    const [less, same, rest] = [equal - low, more - equal, high - more];
    const largest = Math.max(less, same, rest);
    // Lines that end here are equal.
    const sortSame = pivot >= 0 && same > 1;
    if (less !== largest) sortStarts(bytes, starts, low, equal, at);
    if (rest !== largest) sortStarts(bytes, starts, more, high, at);
    if (same !== largest && sortSame) sortStarts(bytes, starts, equal, more, at + 1);
    // Of two that are as large as each other one is left for the loop, the others are sorted here.
    if (same === largest) {
      if (less === largest) sortStarts(bytes, starts, low, equal, at);
      if (rest === largest) sortStarts(bytes, starts, more, high, at);
      if (!sortSame) return;
      [low, high, at] = [equal, more, at + 1];
    } else if (less === largest) {
      if (rest === largest) sortStarts(bytes, starts, more, high, at);
      high = equal;
    } else low = more;
  }
  insertionSort(bytes, starts, low, high, at);
}

/** Brings the lines whose byte is below the pivot to the front; answers where the others begin. */
function placeLess(
  bytes: Uint8Array,
  starts: Uint32Array,
  from: number,
  to: number,
  depth: number,
  pivot: number,
): number {
  let place = from;
  for (let i = from; i < to; i++) {
    const start = starts[i]!;
    if (byteAt(bytes, start + depth) >= pivot) continue;
    starts[i] = starts[place]!;
    starts[place++] = start;
  }
  return place;
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function insertionSort(
  bytes: Uint8Array,
  starts: Uint32Array,
  from: number,
  to: number,
  depth: number,
): void {
  for (let i = from + 1; i < to; i++) {
    const start = starts[i]!;
    let place = i;
    for (; place > from && compare(bytes, starts[place - 1]!, start, depth) > 0; place--)
      starts[place] = starts[place - 1]!;
    starts[place] = start;
  }
}
