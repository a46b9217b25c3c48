import type { Engine, PartitionCounts } from "./engine.ts";

/** Between two looks at a crawl that goes on elsewhere. */
const FIRST_REST_MS = 50;
const MAX_REST_MS = 1000;

/**
 * Finds the end of the crawl: two passes over all partitions that read the same counters, with everything settled that was
 * inserted, within one life of the engine. Counters only grow within it, so between the two nothing changed anywhere, and at that moment nothing was left. One pass
 * is not enough: a page may be settled behind it while its links were inserted before it came there.
 */
export class EndPasses {
  #before: readonly PartitionCounts[] | undefined;
  #isLooking = false;
  #restMs = FIRST_REST_MS;
  #nextMs = 0;
  #looks = 0;

  /** Looks once, if it is time; calls back when the second pass has confirmed the end. */
  look(engine: Engine, nowMs: number, post: (answer: () => void) => void, onEnd: () => void): void {
    if (this.#isLooking || nowMs < this.#nextMs) return;
    this.#isLooking = true;
    const look = ++this.#looks;
    engine.counts((counts) =>
      post(() => {
        if (look !== this.#looks) return;
        this.#isLooking = false;
        // A crawl without any URL is one whose seeds have not arrived, or are to be sent again.
        const isEven =
          counts.every(
            ({ inserted, settled, unread, isSure }) =>
              isSure && inserted === settled && unread === 0,
          ) && counts.some(({ inserted }) => inserted > 0);
        const before = this.#before;
        this.#before = isEven ? counts : undefined;
        if (isEven && before !== undefined && areEqual(before, counts)) onEnd();
        else if (isEven) this.#nextMs = nowMs;
        else {
          this.#nextMs = nowMs + this.#restMs;
          this.#restMs = Math.min(2 * this.#restMs, MAX_REST_MS);
        }
      }),
    );
  }

  /** When the next look may be. */
  get nextMs(): number {
    return this.#isLooking ? Number.POSITIVE_INFINITY : this.#nextMs;
  }

  /** There is work here, or the engine runs anew: what was read counts no more. */
  reset(): void {
    this.#before = undefined;
    this.#isLooking = false;
    this.#looks++;
    this.#restMs = FIRST_REST_MS;
    this.#nextMs = 0;
  }
}

function areEqual(a: readonly PartitionCounts[], b: readonly PartitionCounts[]): boolean {
  return a.every(({ inserted, settled, posted, run }, i) => {
    const other = b[i]!;
    const isSame = inserted === other.inserted && settled === other.settled;
    return isSame && posted === other.posted && run === other.run;
  });
}
