import { TECHNIQUES } from "../../../config/values/technique-names.ts";
import { CapacityError } from "../../../errors.ts";

export { TECHNIQUES };

/** One way to synchronise the queue. */
export type Technique = (typeof TECHNIQUES)[number];

/** Techniques that lose nothing, hand out nothing twice and cannot deadlock. */
export const CORRECT_TECHNIQUES: readonly Technique[] = TECHNIQUES.slice(0, 7);

/** Techniques that can also grow: those made of linked nodes. */
export const GROWING_TECHNIQUES: readonly Technique[] = ["coarse", "fine"];

/** Thread ids are 1 to this: they share a word with other fields. */
export const MAX_OWNERS = 255;

/** Attempts for a lock before a `try…` call gives up: some milliseconds, far longer than any critical section. */
export const SPINS = 1 << 16;

/** Looks at a lock before a thread sleeps for it: as long as some critical sections, because a wake-up costs far more. */
export const PATIENCE = 400;

const GROW_BYTES = 2 ** 30;

/** What a queue can hold; every thread that opens it must pass the same shape. */
export interface QueueShape {
  /** Records it can hold, or "grow" for a list that takes memory as it needs it. */
  readonly size: number | "grow";
  /** Longest record. */
  readonly slotBytes: number;
  /** Highest thread id; 255 by default. */
  readonly owners?: number;
  /** Most records of a growing list; by default as many as fit 1 GiB. */
  readonly maxSize?: number;
  /** Attempts for a lock in `try…` calls. */
  readonly spins?: number;
  /** Looks at a lock before sleeping for it, in calls that may sleep. */
  readonly patience?: number;
}

/** Result of a blocking insert; unless it is "inserted" the caller keeps the record. */
export type Inserted = "inserted" | "timeout" | "shutdown";

/**
 * A first-in first-out queue of byte strings that all threads share. Every technique behaves the same.
 *
 * `try…` calls never sleep. They also answer "full" or "nothing" when a lock stayed busy through `spins` attempts: its
 * holder is descheduled or dead, so keep the record and come back.
 */
export interface RecordQueue {
  readonly slotBytes: number;
  /** Prepares new memory, where zeros are not enough; by one thread, before any other opens the queue. */
  initialise?(): void;
  /** False when the queue is full: the caller keeps the record, nothing is overwritten. */
  tryInsert(bytes: Uint8Array, length: number): boolean;
  /** Waits for room; only for threads without sockets, and never where only this thread's like can make room. */
  insert(bytes: Uint8Array, length: number, timeoutMs?: number): Inserted;
  /** Copies the oldest record into `into` and returns its length; -1 when there is none. */
  tryTake(into: Uint8Array): number;
  /** Waits for a record; -1 after the time-out or a shutdown that found nothing. */
  take(into: Uint8Array, timeoutMs?: number): number;
  /** Slots in use at this moment. */
  size(): number;
  /** Ends every present and future wait; records can still be taken, and inserted where there is room. */
  shutDown(): void;
  /**
   * Takes back what an ended thread held and returns how many slots, permits, nodes and locks that were. At most one
   * record is lost, which the thread was copying in an insert or a take that never returned.
   */
  reclaim(deadOwner: number): number;
}

/** How many records fit, as a number also for "grow". */
export function recordsOf({ size, slotBytes, maxSize }: QueueShape): number {
  return size === "grow" ? (maxSize ?? Math.floor(GROW_BYTES / (slotBytes + 32))) : size;
}

/** Refuses what shared memory cannot express. */
export function refuseUnless(isGood: boolean, complaint: string): void {
  if (!isGood) throw new CapacityError(complaint);
}

/** Whether a number is whole and between `min` and `max`. */
export function isWholeNumber(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

/** Refuses shapes and thread ids that the words in shared memory cannot express. */
export function checkShape(technique: Technique, shape: QueueShape, owner = 1): void {
  const { size, slotBytes, owners = MAX_OWNERS } = shape;
  const records = recordsOf(shape);
  refuseUnless(
    size !== "grow" || GROWING_TECHNIQUES.includes(technique),
    `a ${technique} frontier cannot grow; ${GROWING_TECHNIQUES.join(" and ")} can`,
  );
  refuseUnless(
    isWholeNumber(records, 1, 2 ** 28),
    `the frontier size must be a whole number from 1 to ${2 ** 28}, not ${records}`,
  );
  refuseUnless(
    isWholeNumber(slotBytes, 1, Number.MAX_SAFE_INTEGER),
    `a slot needs at least 1 byte, not ${slotBytes}`,
  );
  refuseUnless(
    isWholeNumber(owners, 1, MAX_OWNERS),
    `1 to ${MAX_OWNERS} threads can share a frontier, not ${owners}`,
  );
  refuseUnless(isWholeNumber(owner, 1, owners), `thread id ${owner} is outside 1 to ${owners}`);
}

/** Refuses a record that is empty or longer than a slot. */
export function checkRecord(length: number, slotBytes: number): void {
  if (length < 1 || length > slotBytes) {
    throw new CapacityError(`a record of ${length} bytes does not fit a slot of ${slotBytes}`);
  }
}

/** Refuses a target that is too small for some records. */
export function checkTarget(into: Uint8Array, slotBytes: number): void {
  if (into.length < slotBytes) {
    throw new CapacityError(`${into.length} bytes are too few for a slot of ${slotBytes}`);
  }
}
