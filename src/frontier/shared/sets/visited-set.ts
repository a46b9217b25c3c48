import { VISITED_SETS } from "../../../config/values/technique-names.ts";
import { CapacityError } from "../../../errors.ts";

export { VISITED_SETS };

/** One kind of visited set. */
export type VisitedKind = (typeof VISITED_SETS)[number];

/** What a set must be able to hold; every thread that opens it must name the same shape. */
export interface SetShape {
  readonly maxUrls: number;
  /** Buckets (striped) or slots (cas) at first; a power of two. */
  readonly initial?: number;
  /** Longest URL in bytes; only the striped set keeps URLs. */
  readonly maxUrlBytes?: number;
  /** Of the fingerprints; random per crawl, so that nobody can prepare URLs that collide. */
  readonly seedLow?: number;
  readonly seedHigh?: number;
  /** May threads sleep for a lock? Those with sockets may not: they spin. */
  readonly mayBlock?: boolean;
}

/** URLs already met, shared by all threads. */
export interface VisitedSet {
  /** True for exactly one of all callers that name this URL; looking and marking are one step. */
  mark(url: string): boolean;
  /** Has somebody marked it? */
  contains(url: string): boolean;
  /** URLs marked. */
  count(): number;
  /** Takes back what an ended thread held and answers how many locks and nodes that were. */
  reclaim(deadOwner: number): number;
}

const MAX_OWNERS = 255;

/** Refuses shapes and thread ids that shared memory cannot express. */
export function checkSetShape(shape: SetShape, owner = 1): void {
  const { maxUrls, initial = 1, maxUrlBytes = 1 } = shape;
  if (!Number.isInteger(maxUrls) || maxUrls < 1 || maxUrls > 2 ** 27) {
    throw new CapacityError(`a visited set holds 1 to ${2 ** 27} URLs, not ${maxUrls}`);
  }
  if (initial < 1 || (initial & (initial - 1)) !== 0) {
    throw new CapacityError(`the first table needs a power of two, not ${initial}`);
  }
  if (!Number.isInteger(maxUrlBytes) || maxUrlBytes < 1) {
    throw new CapacityError(`a URL needs at least 1 byte, not ${maxUrlBytes}`);
  }
  if (!Number.isInteger(owner) || owner < 1 || owner > MAX_OWNERS) {
    throw new CapacityError(`thread id ${owner} is outside 1 to ${MAX_OWNERS}`);
  }
}
