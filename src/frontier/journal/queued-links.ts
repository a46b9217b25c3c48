import type { Discovery } from "../frontier.ts";
import { decodeGroup, groupHeadEnd } from "./event-cursor.ts";

const CHUNK_BYTES = 256 * 1024;
/** First admission number, number of links, bytes of the group. */
const RUN_HEADER_BYTES = 12;

/** Links with consecutive admission numbers: bytes [from, to), their group's head at [head, headEnd). */
export interface Run {
  readonly first: number;
  readonly count: number;
  readonly bytes: Buffer;
  readonly head: number;
  readonly headEnd: number;
  readonly from: number;
  readonly to: number;
}

interface Chunk {
  readonly bytes: Buffer;
  used: number;
  /** Number of the first admission in it. */
  readonly first: number;
  /** Admissions in it that are not done. */
  waiting: number;
}

/**
 * The text of the URLs that wait, in the order of admission, as runs of consecutive admissions of one page:
 *
 *   run = first number, count, bytes, fixed part of the group, parent, chain, link{count}
 *
 * A chunk is given back when all of its URLs are done.
 */
export class QueuedLinks {
  #chunks: Chunk[] = [];

  /** Bytes held. */
  get bytes(): number {
    let sum = 0;
    for (const chunk of this.#chunks) sum += chunk.bytes.length;
    return sum;
  }

  /** Keeps a copy of a run. */
  push({ first, count, bytes, head, headEnd, from, to }: Run): void {
    const need = RUN_HEADER_BYTES + (headEnd - head) + (to - from);
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.used + need > chunk.bytes.length) {
      // A last chunk could not be given back while it was being filled.
      if (chunk?.waiting === 0) this.#chunks.pop();
      chunk = {
        bytes: Buffer.allocUnsafe(Math.max(CHUNK_BYTES, need)),
        used: 0,
        first,
        waiting: 0,
      };
      this.#chunks.push(chunk);
    }
    let at = chunk.bytes.writeUInt32LE(first, chunk.used);
    at = chunk.bytes.writeUInt32LE(count, at);
    at = chunk.bytes.writeUInt32LE(need - RUN_HEADER_BYTES, at);
    at += bytes.copy(chunk.bytes, at, head, headEnd);
    chunk.used = at + bytes.copy(chunk.bytes, at, from, to);
    chunk.waiting += count;
  }

  /** The admission waits no longer. */
  release(number: number): void {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#chunks[middle]!.first <= number) low = middle;
      else high = middle - 1;
    }
    const chunk = this.#chunks[low]!;
    chunk.waiting--;
    // The last chunk is still being filled.
    if (chunk.waiting === 0 && low < this.#chunks.length - 1) this.#chunks.splice(low, 1);
  }

  /** Runs of the links for which `waits` answers true, in the order of admission. */
  *runs(waits: (number: number) => boolean): Generator<Run> {
    for (const { bytes, used } of this.#chunks) {
      for (let start = 0; start < used; ) {
        const end = start + RUN_HEADER_BYTES + bytes.readUInt32LE(start + 8);
        const head = start + RUN_HEADER_BYTES;
        const headEnd = groupHeadEnd(bytes, head);
        let run = { first: 0, count: 0, bytes, head, headEnd, from: headEnd, to: headEnd };
        let number = bytes.readUInt32LE(start);
        for (let at = headEnd; at < end; number++) {
          const next = at + 2 + bytes.readUInt16LE(at);
          if (waits(number)) {
            if (run.count === 0) run = { ...run, first: number, from: at };
            run.count++;
            run.to = next;
          } else if (run.count > 0) {
            yield run;
            run = { ...run, count: 0 };
          }
          at = next;
        }
        if (run.count > 0) yield run;
        start = end;
      }
    }
  }
}

/** The links of a run as objects. */
export function decodeRun({ bytes, head, from, to }: Run): Discovery[] {
  return decodeGroup(bytes, head, from, to);
}
