/** Words of the turnstile that real threads share during a replay. */
export const WORD = {
  /** The step of the schedule that is due. */
  step: 0,
  run: 1,
  /** Threads that rest, in whatever way. */
  resting: 2,
  stop: 3,
  tickets: 4,
  /** Threads that have not left the current run yet. */
  leaving: 5,
} as const;

/** Words of each thread, behind those. */
export const OWN = {
  rest: 0,
  woken: 1,
  /** The address it sleeps on, plus one. */
  asleepOn: 2,
  /** Its place in the queue of sleepers. */
  ticket: 3,
  reports: 4,
  /** The access it was about to make when the schedule ended: kind, first byte, bytes. */
  nextKind: 5,
  nextByte: 6,
  nextBytes: 7,
  /** Running freely: how often it fell asleep, and slices of sleep that nobody ended. */
  sleeps: 8,
  slices: 9,
  reportValues: 10,
} as const;

const FIRST_THREAD = 8;
export const MAX_REPORTS = 24;
const THREAD_WORDS = OWN.reportValues + MAX_REPORTS;
/** Behind the threads: the number of invocations and responses, and then thread, kind and two operands of each. */
const MAX_RECORDS = 128;
const RECORD_WORDS = 4;

/** How long a free-running sleeper sleeps before it looks whether the run is over. */
export const FREE_SLICE_MS = 20;

/** How a thread rests. */
export const REST = { running: 0, ended: 1, sleeping: 2, outOfSteps: 3, faulted: 4 } as const;

/** Why a sleeper was woken. */
export const WOKEN_BY = { notify: 1, timeout: 2, kill: 3, stop: 4 } as const;

/** Words of the turnstile for that many threads. */
export function turnstileWords(threads: number): number {
  return wordsOf(threads) + 1 + MAX_RECORDS * RECORD_WORDS;
}

/** Adds an invocation or a response to the history of a run. */
export function record(
  turnstile: Int32Array,
  threads: number,
  ...entry: readonly [thread: number, kind: number, a: number, b: number]
): void {
  const number = Atomics.add(turnstile, wordsOf(threads), 1);
  if (number >= MAX_RECORDS) throw new Error(`more than ${MAX_RECORDS} invocations and responses`);
  turnstile.set(entry, wordsOf(threads) + 1 + number * RECORD_WORDS);
}

/** The history of a run that has come to rest. */
export function recordsOf(turnstile: Int32Array, threads: number): number[][] {
  const count = Atomics.load(turnstile, wordsOf(threads));
  return Array.from({ length: count }, (_, number) => {
    const at = wordsOf(threads) + 1 + number * RECORD_WORDS;
    return [...turnstile.subarray(at, at + RECORD_WORDS)];
  });
}

/** First word of a thread. */
export function wordsOf(thread: number): number {
  return FIRST_THREAD + thread * THREAD_WORDS;
}

/** How each thread rests. */
export function restsOf(turnstile: Int32Array, threads: number): number[] {
  return Array.from({ length: threads }, (_, t) => Atomics.load(turnstile, wordsOf(t) + OWN.rest));
}

/** How a free-running thread rests, and for how long. */
export interface Rest {
  readonly rest: number;
  readonly sleeps: number;
  readonly slices: number;
}

/** How each of the free-running threads rests. */
export function freeRests(turnstile: Int32Array, threads: number): Rest[] {
  return Array.from({ length: threads }, (_, t) => {
    const word = (own: number) => Atomics.load(turnstile, wordsOf(t) + own);
    return { rest: word(OWN.rest), sleeps: word(OWN.sleeps), slices: word(OWN.slices) };
  });
}

/** Wakes a sleeping thread and tells it why. */
export function wake(turnstile: Int32Array, thread: number, why: number): void {
  Atomics.store(turnstile, wordsOf(thread) + OWN.woken, why);
  Atomics.notify(turnstile, wordsOf(thread) + OWN.woken);
}

/** Ends a thread program from outside; not an error of the program. */
export class Stopped extends Error {}

/** The schedule is over while this thread still wants to go on. */
export class OutOfSteps extends Error {}

/** The thread that has slept longest on an address (plus one), or -1. */
export function firstAsleepOn(turnstile: Int32Array, threads: number, address: number): number {
  const ticket = (t: number) => Atomics.load(turnstile, wordsOf(t) + OWN.ticket);
  const asleep = Array.from({ length: threads }, (_, t) => t).filter(
    (t) => Atomics.load(turnstile, wordsOf(t) + OWN.asleepOn) === address,
  );
  return asleep.sort((a, b) => ticket(a) - ticket(b))[0] ?? -1;
}

/** Atomics.wait for a free-running thread, which counts its slices of sleep and leaves when the run is over. */
export function sleepUnlessStopped(
  turnstile: Int32Array,
  thread: number,
  words: Int32Array,
  index: number,
  value: number,
  timeoutMs: number,
): string {
  const deadline = performance.now() + timeoutMs;
  let ended = "timed-out";
  while (ended === "timed-out" && performance.now() < deadline) {
    const leftMs = deadline - performance.now();
    ended = Atomics.wait(words, index, value, Math.min(FREE_SLICE_MS, leftMs));
    if (Atomics.load(turnstile, WORD.stop) === 1) throw new Stopped();
    // A sleep that ends by itself proves nothing.
    if (ended === "timed-out" && timeoutMs === Number.POSITIVE_INFINITY)
      Atomics.add(turnstile, wordsOf(thread) + OWN.slices, 1);
  }
  return ended;
}
