import type { WideCounter } from "../sync/wide-counter.ts";

/** What the threads of a crawl share of `--max-size`. */
export interface ByteCountParts {
  /** Undefined: no limit, and nothing is shared. */
  readonly maxBytes: number | undefined;
  /** Bytes that the whole crawl has received, in this run and before. */
  readonly total: WideCounter;
  /** There are as many as the limit allows. */
  readonly onReached: () => void;
}

/**
 * Bytes received, as one thread sees them. They count when they arrive, and the limit is looked at before URLs are taken:
 * what goes beyond it is at most the rest of one response per place in flight. The journal gets them with the next batch,
 * so a later run goes on from there.
 */
export class ByteCount {
  readonly #parts: ByteCountParts;
  #uncounted = 0;
  #uncountedBodies = 0;

  constructor(parts: ByteCountParts) {
    this.#parts = parts;
  }

  /** Bytes have arrived. */
  received(bytes: number): void {
    this.#uncounted += bytes;
    if (this.#parts.maxBytes !== undefined) this.#parts.total.add(bytes);
  }

  /** The body of an answer is complete; its bytes have been told of by `received` already. */
  body(bytes: number): void {
    this.#uncountedBodies += bytes;
  }

  /** Whether nothing more may be taken. */
  isReached(): boolean {
    const { maxBytes, total, onReached } = this.#parts;
    if (maxBytes === undefined || total.value < maxBytes) return false;
    onReached();
    return true;
  }

  /** Bytes that no journal counts yet; from now on the caller's does. */
  takeUncounted(): number {
    const bytes = this.#uncounted;
    this.#uncounted = 0;
    return bytes;
  }

  /** The same for the bytes of bodies. */
  takeUncountedBodies(): number {
    const bytes = this.#uncountedBodies;
    this.#uncountedBodies = 0;
    return bytes;
  }
}
