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
  return THREADS + threads * THREAD_WORDS;
}

/** First word of a thread. */
export function wordsOf(thread: number): number {
  return THREADS + thread * THREAD_WORDS;
}
