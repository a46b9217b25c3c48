/** Words of the turnstile that real threads share during a replay. */
export const STEP = 0;
export const RUN = 1;
export const RESTING = 2;
export const STOP = 3;
export const TICKETS = 4;
/** From here per thread: how it rests, woken, sleeping address + 1, place in the queue, number of reports. */
export const THREADS = 8;
export const REST = 0;
export const WOKEN = 1;
export const ASLEEP_ON = 2;
export const TICKET = 3;
export const REPORTS = 4;
/** The access a thread was about to make when the schedule ended: kind, first byte, bytes. */
export const NEXT_KIND = 5;
export const NEXT_BYTE = 6;
export const NEXT_BYTES = 7;
export const REPORT_VALUES = 8;
export const MAX_REPORTS = 24;
export const THREAD_WORDS = REPORT_VALUES + MAX_REPORTS;
/** Behind the threads: the number of invocations and responses, and then thread, kind and two operands of each. */
const MAX_RECORDS = 128;
const RECORD_WORDS = 4;

/** How long a free-running sleeper sleeps before it looks whether the run is over. */
export const FREE_SLICE_MS = 20;

/** How a thread rests. */
export const RUNNING = 0;
export const ENDED = 1;
export const SLEEPING = 2;
export const OUT_OF_STEPS = 3;
export const FAULTED = 4;

/** Why a sleeper was woken. */
export const BY_NOTIFY = 1;
export const BY_TIMEOUT = 2;
export const BY_KILL = 3;
export const BY_STOP = 4;

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
  return THREADS + thread * THREAD_WORDS;
}

/** How each thread rests. */
export function restsOf(turnstile: Int32Array, threads: number): number[] {
  return Array.from({ length: threads }, (_, t) => Atomics.load(turnstile, wordsOf(t) + REST));
}

/** Ends a thread program from outside; not an error of the program. */
export class Stopped extends Error {}

/** The schedule is over while this thread still wants to go on. */
export class OutOfSteps extends Error {}

/** The thread that has slept longest on an address (plus one), or -1. */
export function firstAsleepOn(turnstile: Int32Array, threads: number, address: number): number {
  let first = -1;
  let ticket = Number.POSITIVE_INFINITY;
  for (let t = 0; t < threads; t++) {
    const at = wordsOf(t);
    if (Atomics.load(turnstile, at + ASLEEP_ON) !== address) continue;
    const own = Atomics.load(turnstile, at + TICKET);
    if (own >= ticket) continue;
    ticket = own;
    first = t;
  }
  return first;
}

/** Atomics.wait for a free-running thread, which leaves when the run is over. */
export function sleepUnlessStopped(
  turnstile: Int32Array,
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
    if (Atomics.load(turnstile, STOP) === 1) throw new Stopped();
  }
  return ended;
}
