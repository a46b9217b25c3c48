import type { BodyTap } from "../transport.ts";
import type { BodyMemory } from "./body-memory.ts";
import { LARGE_BYTES } from "./large-bodies.ts";

// Memory for a declared length up to this is allocated at once; beyond that only as bytes arrive.
const TRUSTED_BYTES = 256 * 1024;
const GROWN_BYTES = 16 * 1024;
const EMPTY = Buffer.alloc(0);

/**
 * Collects a body of at most `maxBytes`, in exactly one allocation when its length is known and modest. A tap gets more
 * than that: everything it wants to read, while only the beginning is kept.
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  readonly #expectedBytes: number;
  readonly #tap: BodyTap | undefined;
  readonly #memory: BodyMemory | undefined;
  #bytes: Buffer = EMPTY;
  /** Bytes kept. */
  #length = 0;
  /** Bytes that only the tap got. */
  #passed = 0;
  #large: Buffer | undefined;

  /** `expectedBytes` is the declared length, 0 if none was declared; with a `memory`, `release` must follow. */
  constructor(maxBytes: number, expectedBytes: number, tap?: BodyTap, memory?: BodyMemory) {
    this.#maxBytes = maxBytes;
    this.#expectedBytes = Math.min(expectedBytes, maxBytes);
    this.#tap = tap;
    this.#memory = memory;
  }

  /** Bytes received, kept or not. */
  get length(): number {
    return this.#length + this.#passed;
  }

  /** Nothing more is wanted. */
  get isFull(): boolean {
    return this.#room === 0;
  }

  /** Only the beginning is kept. */
  get isCut(): boolean {
    return this.#passed > 0;
  }

  get #room(): number {
    const kept = this.#maxBytes - this.#length;
    if (this.#tap === undefined || (kept === 0 && this.#tap.isDone)) return kept;
    return Math.max(kept, this.#tap.maxBytes - this.length);
  }

  /** True when the body has become large and is not in a shared piece of memory yet. */
  get isLarge(): boolean {
    return this.#large === undefined && this.#length > LARGE_BYTES;
  }

  /** Moves to a piece of memory of at least `maxBytes`. */
  moveTo(piece: Buffer): void {
    piece.set(this.#bytes.subarray(0, this.#length));
    this.#memory?.giveBack(this.#bytes);
    this.#bytes = this.#large = piece;
  }

  /** Ends the use of the body. Returns its large piece of memory, if it had one. */
  release(): Buffer | undefined {
    const piece = this.#large;
    if (piece === undefined) this.#memory?.giveBack(this.#bytes);
    this.#large = undefined;
    this.#bytes = EMPTY;
    return piece;
  }

  /** False when it exceeds the limit; what fits is kept. */
  append(piece: Uint8Array, from: number, to: number): boolean {
    const count = Math.min(to - from, this.#room);
    if (count > 0) {
      const kept = Math.min(count, this.#maxBytes - this.#length);
      if (kept > 0) this.#keep(piece, from, from + kept);
      this.#passed += count - kept;
      this.#tap?.push(piece.subarray(from, from + count));
    }
    return count === to - from;
  }

  #keep(piece: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece.subarray(from, to), this.#length);
    this.#length = length;
  }

  #grow(atLeast: number): void {
    const first = this.#bytes.length === 0;
    // The first piece is often all there is; from the second on, doubling keeps the copying linear.
    const wanted = first
      ? Math.min(this.#expectedBytes, TRUSTED_BYTES)
      : Math.min(
          Math.max(this.#bytes.length * 2, GROWN_BYTES),
          this.#expectedBytes || this.#maxBytes,
        );
    const bytes = Math.max(atLeast, Math.min(wanted, this.#maxBytes));
    const larger = this.#memory?.take(bytes) ?? Buffer.allocUnsafe(bytes);
    if (!first) {
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#memory?.giveBack(this.#bytes);
    }
    this.#bytes = larger;
  }

  /** The body; a copy when more than half of the memory would be wasted on it. */
  finish(): Buffer {
    if (this.#length === this.#bytes.length) return this.#bytes;
    const used = this.#bytes.subarray(0, this.#length);
    if (this.#large !== undefined || this.#memory !== undefined) return used;
    return this.#length * 2 < this.#bytes.length ? Buffer.from(used) : used;
  }
}
