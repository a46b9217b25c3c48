import type { Technique } from "../../frontier/shared/techniques/record-queue.ts";
import type { Configuration, Mutant } from "../configuration.ts";
import { awaitEnd, report } from "../scenario.ts";
import { takenOnce } from "./bounded-buffer.ts";
import {
  attachTechnique,
  attemptsFirst,
  clockWordsOf,
  type Subject,
  takeWhatIsThere,
  techniqueMutant,
  wakeUpKept,
} from "./technique-subject.ts";

/** Producers are the even threads; a record is one byte that encodes its producer and number. */
function exchange(subject: Subject, thread: number, items: number): void {
  for (let item = 1; item <= items; item++) {
    if (thread % 2 === 0) {
      subject.box[0] = thread * 16 + item;
      subject.queue.insert(subject.box, 1);
    } else {
      subject.queue.take(subject.box);
      report(subject.box[0]!);
    }
  }
}

/**
 * Two inserters with room for both and two removers who do not wait; when all have ended, the last one takes what
 * is left. Nobody sleeps for a record, which keeps the states few enough for the larger techniques.
 */
function insertAndTry(subject: Subject, thread: number): void {
  if (thread % 2 === 0) {
    exchange(subject, thread, 1);
    return;
  }
  takeWhatIsThere(subject, 1);
  if (thread === 1) return;
  awaitEnd(0);
  awaitEnd(1);
  awaitEnd(2);
  takeWhatIsThere(subject, 2);
}

/** Threads 0 and 2 insert, or take what was there before; thread 1 takes what is left when both have ended. */
function sameSide(subject: Subject, thread: number, inserts: boolean): void {
  if (thread !== 1) {
    if (inserts) exchange(subject, thread, 1);
    else takeWhatIsThere(subject, 1);
    return;
  }
  awaitEnd(0);
  awaitEnd(2);
  takeWhatIsThere(subject, 2);
}

function blocking(
  technique: Technique,
  size: number,
  items: number,
  mutants: readonly Mutant[],
  rest: Partial<Configuration<Subject>> = {},
): Configuration<Subject> {
  return {
    name: `frontier-${technique}-b${size}-2p2c${items}`,
    technique: `${technique} frontier`,
    threads: 4,
    operations: items,
    strategy: "stateful",
    mutants,
    clockWords: clockWordsOf(technique),
    attach: (memory, owner) => attachTechnique(technique, size, memory, owner),
    initialise(subject) {
      subject.queue.initialise?.();
    },
    program(subject, thread) {
      exchange(subject, thread, items);
    },
    check: (outcome) => takenOnce(outcome, items),
    ...rest,
  };
}

const coarseUnlockFirst = techniqueMutant("unlock-before-link", "coarse-queue", [
  "this.#arena.setNext(Atomics.load(this.words, TAIL), node);",
  "const last = Atomics.load(this.words, TAIL); this.#lock.unlock(); this.#arena.setNext(last, node);",
]);

/** Two inserters and two removers of one record each. */
function twoByTwo(technique: Technique, mutants: readonly Mutant[]): Configuration<Subject> {
  return blocking(technique, 2, 1, mutants, {
    name: `frontier-${technique}-2x2`,
    program: insertAndTry,
    long: true,
  });
}

/** Two inserters and two removers of one record each, who wait; with the list's locks as one step each. */
function waiting(
  technique: Technique,
  size: number,
  sectionWords?: readonly number[],
): Configuration<Subject> {
  return blocking(technique, size, 1, [attemptsFirst], {
    long: true,
    privateSteps: true,
    ...(sectionWords === undefined ? {} : { sectionWords }),
  });
}

/** The lock of the list and that of its nodes. */
const COARSE_LOCKS = [5, 9];
/** The lock of the free nodes and those of the nodes themselves. */
const FINE_LOCKS = [7, 273, 274, 275];
/** The lock of the write phase. */
const COMMIT_LOCK = [5];

/** The fixed-size queue in all techniques, as it ships: inserting and taking, with the sleeps that this takes. */
export const configurations: readonly Configuration<Subject>[] = [
  blocking("semaphore", 1, 1, [
    techniqueMutant(
      "swapped-p",
      "semaphore-queue",
      [
        "const permit = this.#permits.acquire(EMPTY,",
        "this.#mutex.lock(); const permit = this.#permits.acquire(EMPTY,",
      ],
      [
        "if (!this.#enter(timeoutMs)) {\n            this.#permits.release(permit, EMPTY);",
        "if (false) {\n            this.#permits.release(permit, EMPTY);",
      ],
    ),
    techniqueMutant("v-wakes-nobody", "permit-cycle", [
      "const event = this.#events[kind];\n        event.advance();",
      "",
    ]),
  ]),
  blocking(
    "monitor",
    1,
    1,
    [
      techniqueMutant("one-condition-signal-one", "monitor-queue", [
        "this.#notEmpty = conditions - 1;",
        "this.#notEmpty = 0;",
      ]),
      techniqueMutant("looks-once", "monitor-queue", [
        "while (this.size() === 0) {",
        "if (this.size() === 0) {",
      ]),
    ],
    { long: true },
  ),
  blocking(
    "monitor-one-condition",
    1,
    2,
    [
      techniqueMutant("signals-nobody", "monitor-queue", [
        'this.#monitor.leaveSignalling(this.#notEmpty);\n        return "inserted";',
        'this.#monitor.leave(); return "inserted";',
      ]),
    ],
    { name: "frontier-monitor-one-condition-b1-1p1c2", threads: 2 },
  ),
  // Thread 0 inserts the two records that the others take.
  blocking("monitor-one-condition", 1, 2, [], {
    name: "frontier-monitor-one-condition-b1-1p2c",
    threads: 3,
    expect: "deadlock",
    program(subject, thread) {
      if (thread === 0) exchange(subject, 0, 2);
      else exchange(subject, 1, 1);
    },
    check: (outcome) => (outcome.reports.flat().length === 2 ? undefined : "a record was lost"),
  }),
  blocking("lock-free", 2, 1, [wakeUpKept, attemptsFirst], { long: true }),
  ...(["coarse", "fine", "optimistic", "pessimistic"] as const).map((technique) =>
    blocking(technique, 1, 2, [attemptsFirst], {
      threads: 2,
      name: `frontier-${technique}-b1-1p1c2`,
    }),
  ),
  // One thread on each side needs no lock on this list; the lock is for two on one side.
  blocking("coarse", 2, 1, [coarseUnlockFirst], {
    name: "frontier-coarse-2p",
    threads: 3,
    program(subject, thread) {
      sameSide(subject, thread, true);
    },
  }),
  // The same, polling each lock once before a sleep, as a crawl does some hundred times.
  blocking("coarse", 2, 1, [coarseUnlockFirst], {
    name: "frontier-coarse-2p-patient",
    threads: 3,
    attach: (memory, owner) => attachTechnique("coarse", 2, memory, owner, 1),
    program(subject, thread) {
      sameSide(subject, thread, true);
    },
  }),
  blocking(
    "coarse",
    2,
    1,
    [
      techniqueMutant("takes-without-the-lock", "coarse-queue", [
        "if (!this.enterLock(this.#lock, waitMs))\n            return -1;",
        "",
      ]),
    ],
    {
      name: "frontier-coarse-2c",
      threads: 3,
      initialise(subject) {
        subject.queue.initialise?.();
        exchange(subject, 0, 1);
        exchange(subject, 2, 1);
      },
      program(subject, thread) {
        sameSide(subject, thread, false);
      },
    },
  ),
  twoByTwo("fine", [
    techniqueMutant("unlock-before-link", "fine-queue", [
      "this.#arena.setNext(before, node);",
      "this.#unlock(before); this.#arena.setNext(before, node);",
    ]),
    techniqueMutant("one-hand-only", "fine-queue", [" || !this.#lock(node, waitMs)", ""]),
    techniqueMutant("tail-not-validated", "fine-queue", [
      "if (this.#arena.isLive(last) && this.#arena.next(last) === NOBODY)",
      "if (true)",
    ]),
  ]),
  twoByTwo("optimistic", [
    techniqueMutant("missing-validation", "optimistic-queue", [
      "if ((Atomics.load(this.words, at) & readSet) !== 0)",
      "if (false)",
    ]),
  ]),
  twoByTwo("pessimistic", [
    techniqueMutant("missing-validation", "pessimistic-queue", [
      "const valid = isMine && Atomics.load(this.words, this.#states + slot) === free;",
      "const valid = true;",
    ]),
  ]),
  // Removers who sleep until there is a record, and inserters who may have to sleep for room.
  waiting("coarse", 2, COARSE_LOCKS),
  waiting("coarse", 1, COARSE_LOCKS),
  waiting("fine", 2, FINE_LOCKS),
  waiting("optimistic", 2, COMMIT_LOCK),
  waiting("pessimistic", 2),
];
