import { CapacityError } from "../errors.ts";

const WRITTEN = 0;
const READ = 1;
const HEAD_BYTES = 8;

/** Bytes of shared memory for a pipe that holds `capacity` bytes. */
export function pipeBytes(capacity: number): number {
  if (capacity < 1 || (capacity & (capacity - 1)) !== 0) {
    throw new CapacityError(`a pipe needs a power of two of bytes, not ${capacity}`);
  }
  return HEAD_BYTES + capacity;
}

/*
 *        READ            WRITTEN          both count bytes since the start, modulo 2^32
 *          │ ◄─ readable ─► │
 *   ┌──────▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓────────┐    position in memory = count & (capacity - 1)
 *   └───────────────────────────────┘
 *
 * One writer and one reader. Only the writer stores WRITTEN and only the reader stores READ, each after it has
 * finished with the bytes, so neither ever sees the other's half-done work.
 */

/** A stream of bytes from exactly one thread to exactly one other, in shared memory. */
export class BytePipe {
  readonly capacity: number;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, 2);
    this.#bytes = new Uint8Array(memory, HEAD_BYTES);
    this.capacity = this.#bytes.length;
  }

  /** Copies as much of `bytes` from `from` on as fits, and returns how much that was. */
  write(bytes: Uint8Array, from: number): number {
    const written = Atomics.load(this.#words, WRITTEN);
    const space = this.capacity - ((written - Atomics.load(this.#words, READ)) >>> 0);
    const count = Math.min(space, bytes.length - from);
    if (count === 0) return 0;
    const at = (written >>> 0) & (this.capacity - 1);
    const first = Math.min(count, this.capacity - at);
    this.#bytes.set(bytes.subarray(from, from + first), at);
    if (first < count) this.#bytes.set(bytes.subarray(from + first, from + count), 0);
    Atomics.store(this.#words, WRITTEN, (written + count) | 0);
    return count;
  }

  /** Bytes that can be read now. */
  readable(): number {
    return (Atomics.load(this.#words, WRITTEN) - Atomics.load(this.#words, READ)) >>> 0;
  }

  /** Moves up to `count` bytes to `into` at `at`, and returns how many there were. */
  read(into: Uint8Array, at: number, count: number): number {
    const read = Atomics.load(this.#words, READ);
    const ready = (Atomics.load(this.#words, WRITTEN) - read) >>> 0;
    const taken = Math.min(count, ready);
    if (taken === 0) return 0;
    const start = (read >>> 0) & (this.capacity - 1);
    const first = Math.min(taken, this.capacity - start);
    into.set(this.#bytes.subarray(start, start + first), at);
    if (first < taken) into.set(this.#bytes.subarray(0, taken - first), at + first);
    Atomics.store(this.#words, READ, (read + taken) | 0);
    return taken;
  }
}
