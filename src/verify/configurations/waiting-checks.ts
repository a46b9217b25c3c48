import type { Configuration, Mutant } from "../configuration.ts";
import { report } from "../scenario.ts";
import { COUNTED_WORDS, CountedQueue, RECORDS } from "../subjects/counted-queue.ts";
import { attemptsFirst, clockWordsOf, techniqueMutant, wakeUpKept } from "./technique-subject.ts";

interface Counted {
  readonly queue: CountedQueue;
  readonly box: Uint8Array;
}

/** Inserts one record, or takes one. */
function exchange(subject: Counted, inserts: boolean, timeoutMs = Number.POSITIVE_INFINITY): void {
  if (!inserts) {
    if (subject.queue.take(subject.box, timeoutMs) > 0) report(-1);
  } else if (subject.queue.insert(subject.box, 1, timeoutMs) === "inserted") report(1);
}

/** Threads 0 and 2 insert, threads 1 and 3 take. */
function counted(
  name: string,
  size: number,
  mutants: readonly Mutant[],
  rest: Partial<Configuration<Counted>> = {},
  patience = 0,
): Configuration<Counted> {
  return {
    name,
    technique: "waiting by event counts",
    threads: 4,
    operations: 1,
    mutants,
    strategy: "stateful",
    privateSteps: true,
    // Polling reads those words once more than their reduction allows.
    ...(patience === 0 ? { clockWords: clockWordsOf("lock-free") } : {}),
    attach: (memory) => ({
      queue: new CountedQueue(memory.words(COUNTED_WORDS), size, patience),
      box: new Uint8Array(1),
    }),
    program(subject, thread) {
      exchange(subject, thread % 2 === 0);
    },
    check(outcome) {
      const left = outcome.reports.flat().reduce((sum, one) => sum + one, 0);
      const found = outcome.words(0)[RECORDS];
      return found === left ? undefined : `${left} records should be left, not ${found}`;
    },
    ...rest,
  };
}

/** The inserter that is woken may find the room filled by another one, for whose record nobody was woken. */
const remindsLate = techniqueMutant(
  "reminds-after-its-attempt",
  "waiting-queue",
  ["slept = true;\n            this.#notEmpty.remind();", "slept = true;"],
  [
    "const woke = this.#notFull.advance();",
    "if (slept) this.#notEmpty.remind(); const woke = this.#notFull.advance();",
  ],
);

/** How every technique with event counts sleeps and wakes. */
export const configurations: readonly Configuration<Counted>[] = [
  counted("waiting-b2-2p2c", 2, [wakeUpKept]),
  // One record more than is taken, so that a woken inserter may find the room filled again.
  counted("waiting-b1-3p2c", 1, [remindsLate], {
    operations: 2,
    long: true,
    program(subject, thread) {
      exchange(subject, thread % 2 === 0);
      if (thread === 0 && subject.queue.tryInsert(subject.box, 1)) report(1);
    },
  }),
  // Thread 1 may give up at any moment, which must not harm the others.
  counted("waiting-b2-2p2c-timeouts", 2, [wakeUpKept], {
    timeouts: true,
    program(subject, thread) {
      if (thread === 1) exchange(subject, false, 1);
      else exchange(subject, thread % 2 === 0);
    },
  }),
  // Polling before each sleep, as a crawl does a hundred times.
  counted(
    "waiting-b1-1p1c2-patient",
    1,
    [attemptsFirst],
    {
      threads: 2,
      operations: 2,
      program(subject, thread) {
        exchange(subject, thread === 0);
        exchange(subject, thread === 0);
      },
    },
    2,
  ),
];
