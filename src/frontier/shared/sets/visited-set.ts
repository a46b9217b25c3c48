import { VISITED_SETS } from "../../../config/values/technique-names.ts";
import { isWholeNumber, MAX_OWNERS, refuseUnless } from "../techniques/record-queue.ts";

export { VISITED_SETS };

/** One kind of visited set. */
export type VisitedKind = (typeof VISITED_SETS)[number];

/** What a set can hold; every thread that opens it must pass the same shape. */
export interface SetShape {
  readonly maxUrls: number;
  /** Buckets (striped) or slots (cas) at first; a power of two. */
  readonly initial?: number;
  /** Longest URL in bytes; only the striped set stores URLs. */
  readonly maxUrlBytes?: number;
  /** Seeds of the fingerprints; random per crawl, so that nobody can prepare URLs that collide. */
  readonly seedLow?: number;
  readonly seedHigh?: number;
  /** Whether threads may sleep for a lock. Those with sockets may not: they spin. */
  readonly mayBlock?: boolean;
}

/** URLs that are known, in a set that all threads share. */
export interface VisitedSet {
  /**
   * True for exactly one of all callers that pass this URL: looking and marking are one step. A set that keeps pages
   * keeps the page it was found on and its level, too.
   */
  mark(url: string, parent?: string, level?: number): boolean;
  /** What a marked page links to; absent where only fingerprints are kept. */
  addLinks?(url: string, links: readonly string[]): boolean;
  /** Whether the URL is marked. */
  contains(url: string): boolean;
  /** URLs marked. */
  count(): number;
  /** Takes back what an ended thread held and returns how many locks and nodes that were. */
  reclaim(deadOwner: number): number;
}

/** Refuses shapes and thread ids that shared memory cannot express. */
export function checkSetShape(shape: SetShape, owner = 1): void {
  const { maxUrls, initial = 1, maxUrlBytes = 1 } = shape;
  refuseUnless(
    isWholeNumber(maxUrls, 1, 2 ** 27),
    `a visited set holds 1 to ${2 ** 27} URLs, not ${maxUrls}`,
  );
  refuseUnless(
    initial >= 1 && (initial & (initial - 1)) === 0,
    `the first table needs a power of two, not ${initial}`,
  );
  refuseUnless(
    isWholeNumber(maxUrlBytes, 1, Number.MAX_SAFE_INTEGER),
    `a URL needs at least 1 byte, not ${maxUrlBytes}`,
  );
  refuseUnless(
    isWholeNumber(owner, 1, MAX_OWNERS),
    `thread id ${owner} is outside 1 to ${MAX_OWNERS}`,
  );
}
