import { Mutex } from "../../sync/mutex.ts";
import type { Configuration, Outcome } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { awaitEnd, report } from "../scenario.ts";
import { mutant } from "./mutant.ts";

interface Subject {
  readonly words: Int32Array;
  readonly mutex: Mutex;
  /** Plain: two threads in the critical section race on it. */
  readonly counter: Int32Array;
}

function attach(memory: Memory, owner: number): Subject {
  const words = memory.words(Mutex.WORDS);
  return { words, mutex: new Mutex(words, 0, owner), counter: memory.words(1) };
}

function count(subject: Subject): void {
  subject.counter[0] = subject.counter[0]! + 1;
}

function countLocked(subject: Subject, times: number): void {
  for (let time = 0; time < times; time++) {
    subject.mutex.lock();
    count(subject);
    subject.mutex.unlock();
  }
}

function free(outcome: Outcome): string | undefined {
  return outcome.words(0)[0] === 0 ? undefined : "the lock is held by nobody alive";
}

const MUTEX = "sync/mutex.js";
const markForgotten = mutant("woken-forgets-the-mark", MUTEX, [
  "const mine = this.#me | CONTENDED;",
  "const mine = this.#me;",
]);

/** The mutex: mutual exclusion, lost wake-ups, time-outs, dead owners. */
export const configurations: readonly Configuration<Subject>[] = [
  {
    name: "mutex-3x2",
    technique: "mutex",
    threads: 3,
    operations: 2,
    strategy: "stateful",
    cycles: true,
    attach,
    program(subject) {
      countLocked(subject, 2);
    },
    check: (outcome) => (outcome.words(1)[0] === 6 ? free(outcome) : "an update was lost"),
    mutants: [
      mutant("check-then-act", MUTEX, [
        "if (Atomics.compareExchange(this.#words, this.#lock, 0, mine) === 0)",
        "if (Atomics.store(this.#words, this.#lock, mine) === mine)",
      ]),
      markForgotten,
      mutant("lost-wake-up", MUTEX, [
        "Atomics.exchange(this.#words, this.#lock, 0) < 0",
        "Atomics.exchange(this.#words, this.#lock, 0) > 99",
      ]),
    ],
  },
  {
    name: "mutex-timeout-3",
    technique: "mutex",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    timeouts: true,
    attach,
    program(subject, thread) {
      // Only the last thread may give up; that must not cost the others a wake-up.
      if (!subject.mutex.lock(thread === 2 ? 10 : Number.POSITIVE_INFINITY)) return;
      count(subject);
      subject.mutex.unlock();
      report(1);
    },
    check(outcome) {
      const entered = outcome.reports.flat().length;
      return outcome.words(1)[0] === entered ? free(outcome) : "an update was lost";
    },
    mutants: [
      markForgotten,
      mutant("time-out-counts-as-lock", MUTEX, [
        "if (expired)\n                    return false;",
        "if (expired) return true;",
      ]),
    ],
  },
  {
    name: "mutex-reclaim",
    technique: "reclaim of a dead owner",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    mortal: [0],
    attach,
    program(subject, thread) {
      if (thread === 2) {
        awaitEnd(0);
        Mutex.reclaim(subject.words, 0, 1);
      } else countLocked(subject, 1);
    },
    check: free,
    mutants: [
      mutant("wake-up-dies-with-its-owner", MUTEX, [
        "Atomics.notify(words, index + LOCK);",
        "if (held && seen < 0) Atomics.notify(words, index + LOCK, 0);",
      ]),
      mutant("never-taken-back", MUTEX, [
        "Atomics.exchange(words, index + LOCK, 0);",
        "Atomics.load(words, index + LOCK);",
      ]),
    ],
  },
];
