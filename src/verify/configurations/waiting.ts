import type { Configuration, Mutant } from "../configuration.ts";
import { report } from "../scenario.ts";
import { COUNTED_WORDS, CountedFrontier, RECORDS } from "../subjects/counted-frontier.ts";
import { clockWordsOf, patch } from "./frontier-subject.ts";

interface Counted {
  readonly frontier: CountedFrontier;
  readonly box: Uint8Array;
}

/** Inserts one record, or takes one. */
function exchange(subject: Counted, inserts: boolean, timeoutMs: number): void {
  if (!inserts) {
    if (subject.frontier.take(subject.box, timeoutMs) > 0) report(-1);
  } else if (subject.frontier.insert(subject.box, 1, timeoutMs) === "inserted") report(1);
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
    ...{ name, technique: "waiting by event counts", threads: 4, operations: 1, mutants },
    strategy: "stateful",
    privateSteps: true,
    clockWords: clockWordsOf("lock-free"),
    attach: (memory) => ({
      frontier: new CountedFrontier(memory.words(COUNTED_WORDS), size, patience),
      box: new Uint8Array(1),
    }),
    program(subject, thread) {
      exchange(subject, thread % 2 === 0, Number.POSITIVE_INFINITY);
    },
    check(outcome) {
      const left = outcome.reports.flat().reduce((sum, one) => sum + one, 0);
      const found = outcome.words(0)[RECORDS];
      return found === left ? undefined : `${left} records should be left, not ${found}`;
    },
    ...rest,
  };
}

/** The inserter it wakes may find that another one, whose record nobody was woken for, has filled the room. */
const remindsLate: Mutant = {
  name: "reminds-after-its-attempt",
  patches: [
    patch(
      "waiting-frontier",
      "slept = true;\n            this.#notEmpty.remind();",
      "slept = true;",
    ),
    patch(
      "waiting-frontier",
      "const woke = this.#notFull.advance();",
      "if (slept) this.#notEmpty.remind(); const woke = this.#notFull.advance();",
    ),
  ],
};

const recordKept: Mutant = {
  name: "wake-up-for-a-record-not-passed-on",
  patches: [
    patch("waiting-frontier", "slept && !woke && this.hasRecord()", "false && this.hasRecord()"),
  ],
};

/** How every technique with event counts sleeps and wakes. */
export const configurations: readonly Configuration<Counted>[] = [
  counted("waiting-b2-2p2c", 2, [recordKept]),
  // One record more than is taken, so that the one who was woken may find the room filled again.
  counted("waiting-b1-3p2c", 1, [remindsLate], {
    ...{ operations: 2, long: true },
    program(subject, thread) {
      exchange(subject, thread % 2 === 0, Number.POSITIVE_INFINITY);
      if (thread === 0 && subject.frontier.tryInsert(subject.box, 1)) report(1);
    },
  }),
];
