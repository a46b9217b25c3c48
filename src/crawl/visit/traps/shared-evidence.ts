/** Slots for the fingerprints of pages that are copies. */
const COPIES = 1 << 18;
/** Slots for counts, of two words each: whose it is, and how much. */
const COUNTS = 1 << 16;
const PROBES = 4;

/** Memory that the evidence of one crawl needs; the last word counts verdicts about sites. */
export const EVIDENCE_BYTES: number = (COPIES + 2 * COUNTS + 1) * 4;

/**
 * What all threads know together: which pages were copies, and how often something was seen. Several threads may read
 * the pages of one host, and each sees few of their parents. Memory is bounded: evidence that was dropped has to be
 * gathered again, and a count that two threads change at once is a little too low.
 */
export class SharedEvidence {
  readonly #copies: Uint32Array;
  readonly #counts: Uint32Array;
  /** One number: how many sites some thread has condemned. In nearly all crawls 0, so that nobody needs to look any further. */
  readonly verdicts: Uint32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(EVIDENCE_BYTES)) {
    this.#copies = new Uint32Array(memory, 0, COPIES);
    this.#counts = new Uint32Array(memory, COPIES * 4, 2 * COUNTS);
    this.verdicts = new Uint32Array(memory, EVIDENCE_BYTES - 4, 1);
  }

  /** Some thread has condemned a site. */
  addVerdict(): void {
    Atomics.add(this.verdicts, 0, 1);
  }

  /** A page of this fingerprint is a copy of others. */
  addCopy(fingerprint: number): void {
    Atomics.store(this.#copies, fingerprint & (COPIES - 1), fingerprint);
  }

  isCopy(fingerprint: number): boolean {
    return Atomics.load(this.#copies, fingerprint & (COPIES - 1)) === fingerprint;
  }

  /** Counts one more of what this fingerprint stands for; answers how many there are now. */
  count(fingerprint: number): number {
    const counts = this.#counts;
    const start = Math.imul(fingerprint, 0x9e3779b1) >>> 16;
    let weakest = -1;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = 2 * ((start + probe) & (COUNTS - 1));
      if (Atomics.load(counts, at) === fingerprint) return Atomics.add(counts, at + 1, 1) + 1;
      if (weakest < 0 || Atomics.load(counts, at + 1) < Atomics.load(counts, weakest + 1)) {
        weakest = at;
      }
    }
    Atomics.store(counts, weakest, fingerprint);
    Atomics.store(counts, weakest + 1, 1);
    return 1;
  }
}
