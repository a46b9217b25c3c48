import { TECHNIQUES } from "../../../config/values/technique-names.ts";
import { CapacityError } from "../../../errors.ts";

export { TECHNIQUES };

/** One way to synchronise the frontier. */
export type Technique = (typeof TECHNIQUES)[number];

/** Techniques that lose nothing, give nothing twice and cannot come to a stand. */
export const CORRECT_TECHNIQUES: readonly Technique[] = TECHNIQUES.slice(0, 7);

/** Techniques that can also grow: those made of linked nodes. */
export const GROWING_TECHNIQUES: readonly Technique[] = ["coarse", "fine"];

/** Thread ids are 1 to this: they share a word with other things. */
export const MAX_OWNERS = 255;

/** Attempts for a lock before a `try…` call calls it busy: some milliseconds, far longer than any critical section. */
export const SPINS = 1 << 16;

/** Looks at a lock before a thread sleeps for it: some critical sections long, for a wake-up costs far more. */
export const PATIENCE = 400;

const GROW_BYTES = 2 ** 30;

/** What a frontier holds; every thread that opens it must name the same shape. */
export interface QueueShape {
  /** Records it can hold, or "grow" for a list that takes memory as it needs it. */
  readonly size: number | "grow";
  /** Longest record. */
  readonly slotBytes: number;
  /** Highest thread id; 255 unless told. */
  readonly owners?: number;
  /** Most records of a growing list; as many as fit 1 GiB unless told. */
  readonly maxSize?: number;
  /** Attempts for a lock in `try…` calls. */
  readonly spins?: number;
  /** Looks at a lock before sleeping for it, in calls that may sleep. */
  readonly patience?: number;
}

/** What became of a blocking insert; whatever is not "inserted" left the record with its caller. */
export type Inserted = "inserted" | "timeout" | "shutdown";

/**
 * A first-in first-out frontier of byte strings that all threads share. Every technique behaves the same.
 *
 * `try…` calls never sleep. They say "full" or "nothing" also when a lock stayed busy through `spins` attempts:
 * its holder is descheduled or dead, so keep the record and come back.
 */
export interface RecordQueue {
  readonly slotBytes: number;
  /** False when the frontier is full: the caller keeps the record, nothing is overwritten. */
  tryInsert(bytes: Uint8Array, length: number): boolean;
  /** Waits for room; only for threads without sockets, and never where only this thread's like can make room. */
  insert(bytes: Uint8Array, length: number, timeoutMs?: number): Inserted;
  /** Copies the oldest record into `into` and answers its length; -1 when there is none. */
  tryTake(into: Uint8Array): number;
  /** Waits for a record; -1 after the time-out or a shutdown that found nothing. */
  take(into: Uint8Array, timeoutMs?: number): number;
  /** Slots in use at this moment. */
  size(): number;
  /** Ends every present and future wait; what is there can still be taken, and what fits inserted. */
  shutDown(): void;
  /**
   * Takes back what an ended thread held and answers how many slots, permits, nodes and locks that were. Lost is
   * at most the one record it was copying: in, and its insert never returned; or out, and its take never returned.
   */
  reclaim(deadOwner: number): number;
}

/** How many records fit, with "grow" made a number. */
export function recordsOf(shape: QueueShape): number {
  if (shape.size === "grow")
    return shape.maxSize ?? Math.floor(GROW_BYTES / (shape.slotBytes + 32));
  return shape.size;
}

/** Refuses shapes and thread ids that the words in shared memory cannot express. */
export function checkShape(technique: Technique, shape: QueueShape, owner = 1): void {
  const { size, slotBytes, owners = MAX_OWNERS } = shape;
  if (size === "grow" && !GROWING_TECHNIQUES.includes(technique)) {
    throw new CapacityError(
      `a ${technique} frontier cannot grow; ${GROWING_TECHNIQUES.join(" and ")} can`,
    );
  }
  const records = recordsOf(shape);
  if (!Number.isInteger(records) || records < 1 || records > 2 ** 28) {
    throw new CapacityError(
      `the frontier size must be a whole number from 1 to ${2 ** 28}, not ${records}`,
    );
  }
  if (!Number.isInteger(slotBytes) || slotBytes < 1) {
    throw new CapacityError(`a slot needs at least 1 byte, not ${slotBytes}`);
  }
  if (!Number.isInteger(owners) || owners < 1 || owners > MAX_OWNERS) {
    throw new CapacityError(`1 to ${MAX_OWNERS} threads can share a frontier, not ${owners}`);
  }
  if (!Number.isInteger(owner) || owner < 1 || owner > owners) {
    throw new CapacityError(`thread id ${owner} is outside 1 to ${owners}`);
  }
}

/** Refuses a record that is empty or longer than a slot. */
export function checkRecord(length: number, slotBytes: number): void {
  if (length < 1 || length > slotBytes) {
    throw new CapacityError(`a record of ${length} bytes does not fit a slot of ${slotBytes}`);
  }
}

/** Refuses a target that could not take every record. */
export function checkTarget(into: Uint8Array, slotBytes: number): void {
  if (into.length < slotBytes) {
    throw new CapacityError(`${into.length} bytes are too few for a slot of ${slotBytes}`);
  }
}
