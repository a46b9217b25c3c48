/** Slots for prints of pages that are copies. */
const COPIES = 1 << 18;
/** Slots for counts, of two words each: whose it is, and how much. */
const COUNTS = 1 << 16;
const PROBES = 4;

/** Memory that the evidence of one crawl needs. */
export const EVIDENCE_BYTES = (COPIES + 2 * COUNTS) * 4;

/**
 * What all threads know together: which pages were copies, and how often something was seen. A host's pages may be
 * read by several threads, and each sees the parents of few. Memory is bounded; what is forgotten has to be shown
 * again, and a count that two threads fight over is a little too low.
 */
export class SharedEvidence {
  readonly #copies: Uint32Array;
  readonly #counts: Uint32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(EVIDENCE_BYTES)) {
    this.#copies = new Uint32Array(memory, 0, COPIES);
    this.#counts = new Uint32Array(memory, COPIES * 4);
  }

  /** A page of this print is a copy of others. */
  addCopy(print: number): void {
    Atomics.store(this.#copies, print & (COPIES - 1), print);
  }

  isCopy(print: number): boolean {
    return Atomics.load(this.#copies, print & (COPIES - 1)) === print;
  }

  /** Counts one more of what this print stands for, and tells how many there are now. */
  count(print: number): number {
    const counts = this.#counts;
    const start = Math.imul(print, 0x9e3779b1) >>> 16;
    let weakest = -1;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = 2 * ((start + probe) & (COUNTS - 1));
      if (Atomics.load(counts, at) === print) return Atomics.add(counts, at + 1, 1) + 1;
      if (weakest < 0 || Atomics.load(counts, at + 1) < Atomics.load(counts, weakest + 1)) {
        weakest = at;
      }
    }
    Atomics.store(counts, weakest, print);
    Atomics.store(counts, weakest + 1, 1);
    return 1;
  }
}
