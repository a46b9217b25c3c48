import type { Pending } from "../../sync/pending.ts";
import { report } from "../scenario.ts";

/** Pages that wait, pages fetched, whether the end was seen. */
export const WAITING = 0;
const FETCHED = 1;
const ENDED = 2;
/** The termination counter. */
export const PENDING = 3;
/** From here one word per thread: whether it has nothing to do. Only the mutant looks at them. */
export const IDLE = 4;

/** One thread's view of a crawl of two pages. */
export interface Crawl {
  readonly words: Int32Array;
  readonly pending: Pending;
}

/** The first page has one child; a thread ends when the counter says that nothing is left. */
export function crawl(subject: Crawl, thread: number): void {
  for (;;) {
    if (Atomics.load(subject.words, ENDED) === 1) return;
    const waiting = Atomics.load(subject.words, WAITING);
    Atomics.store(subject.words, IDLE + thread, waiting === 0 ? 1 : 0);
    if (waiting === 0) continue;
    if (Atomics.compareExchange(subject.words, WAITING, waiting, waiting - 1) !== waiting) continue;
    const first = Atomics.add(subject.words, FETCHED, 1) === 0;
    if (first) addChild(subject);
    if (subject.pending.release(1)) end(subject);
  }
}

function addChild(subject: Crawl): void {
  subject.pending.add(1);
  Atomics.add(subject.words, WAITING, 1);
}

function end(subject: Crawl): void {
  report(Atomics.load(subject.words, FETCHED));
  Atomics.store(subject.words, ENDED, 1);
}
