/** What is counted per thread; the order is the layout. */
const COUNTS = [
  "activity",
  "pages",
  "failed",
  "inserts",
  "takes",
  "spilled",
  "overwritten",
  "fetchedTwice",
  "torn",
  "known",
  "blockedInsertUs",
  "blockedTakeUs",
  "wakeUps",
  "uselessWakeUps",
  "ownTakes",
] as const;

/** A figure that a laboratory thread counts. */
export type Count = (typeof COUNTS)[number];

/** What a thread is at. */
export const ACTIVITY = {
  ended: 0,
  taking: 1,
  fetching: 2,
  inserting: 3,
  idle: 4,
  storing: 5,
} as const;

/** Buckets of the histogram of picking times: four per doubling, from 1 microsecond on. */
const BUCKETS = 128;
const PER_DOUBLING = 4;
const ROW = COUNTS.length + BUCKETS;

/** Counters of all threads in shared memory, so that somebody can look at them while every thread is stuck. */
export class ThreadCounts {
  readonly threads: number;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.threads = this.#words.length / ROW;
  }

  /** Bytes of shared memory, zero at first. */
  static bytes(threads: number): number {
    return threads * ROW * 4;
  }

  add(thread: number, count: Count, by = 1): void {
    Atomics.add(this.#words, thread * ROW + COUNTS.indexOf(count), by);
  }

  set(thread: number, count: Count, value: number): void {
    Atomics.store(this.#words, thread * ROW + COUNTS.indexOf(count), value);
  }

  get(thread: number, count: Count): number {
    return Atomics.load(this.#words, thread * ROW + COUNTS.indexOf(count));
  }

  /** Over all threads. */
  sum(count: Count): number {
    let sum = 0;
    for (let thread = 0; thread < this.threads; thread++) sum += this.get(thread, count);
    return sum;
  }

  /** How many threads are at something. */
  at(activity: number): number {
    let found = 0;
    for (let thread = 0; thread < this.threads; thread++)
      if (this.get(thread, "activity") === activity) found++;
    return found;
  }

  /** Notes how long it took to get a URL. */
  picked(thread: number, us: number): void {
    const bucket = Math.min(BUCKETS - 1, Math.floor(PER_DOUBLING * Math.log2(1 + us)));
    Atomics.add(this.#words, thread * ROW + COUNTS.length + bucket, 1);
  }

  /** The picking time that this share of all takes did not exceed, in microseconds; at most 19 % too high. */
  pickQuantile(share: number): number {
    const buckets = Array.from({ length: BUCKETS }, (_, bucket) => {
      let sum = 0;
      for (let thread = 0; thread < this.threads; thread++)
        sum += Atomics.load(this.#words, thread * ROW + COUNTS.length + bucket);
      return sum;
    });
    const wanted = share * buckets.reduce((a, b) => a + b, 0);
    let seen = 0;
    for (const [bucket, count] of buckets.entries()) {
      seen += count;
      if (seen >= wanted && count > 0) return 2 ** ((bucket + 1) / PER_DOUBLING) - 1;
    }
    return 0;
  }
}

/** Jain's index: 1 when all did the same, 1/n when one did all; 1 when nobody did anything. */
export function fairness(shares: readonly number[]): number {
  const sum = shares.reduce((a, b) => a + b, 0);
  const squares = shares.reduce((a, b) => a + b * b, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}
