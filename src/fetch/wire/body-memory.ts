const MIN_BITS = 12;
const MAX_BITS = 17;
/** Pieces of each size that are kept: as many as a thread has requests in flight by default. */
const MAX_FREE = 64;
/** All free pieces together. */
const MAX_FREE_BYTES = 4 * 1024 * 1024;

/**
 * Reused memory for bodies of ordinary size. A new buffer for each would lie outside the heap and make the garbage
 * collector run more often.
 */
export class BodyMemory {
  /** By size: powers of two. */
  readonly #free: Buffer[][] = Array.from({ length: MAX_BITS + 1 }, () => []);
  #freeBytes = 0;

  /** A piece of at least so many bytes, with whatever was in it before. */
  take(bytes: number): Buffer {
    const bits = Math.max(MIN_BITS, 32 - Math.clz32(bytes - 1));
    if (bits > MAX_BITS) return Buffer.allocUnsafe(bytes);
    const piece = this.#free[bits]!.pop();
    if (piece === undefined) return Buffer.allocUnsafeSlow(1 << bits);
    this.#freeBytes -= piece.length;
    return piece;
  }

  /** Returns a piece. Pieces that were not taken here are ignored. */
  giveBack(piece: Buffer): void {
    const bits = 31 - Math.clz32(piece.length);
    if (bits < MIN_BITS || bits > MAX_BITS || piece.length !== 1 << bits) return;
    const free = this.#free[bits]!;
    if (free.length >= MAX_FREE || this.#freeBytes + piece.length > MAX_FREE_BYTES) return;
    free.push(piece);
    this.#freeBytes += piece.length;
  }
}
