import type { Technique } from "../../frontier/shared/techniques/record-queue.ts";
import type { Configuration, Mutant, Outcome } from "../configuration.ts";
import { awaitEnd, report } from "../scenario.ts";
import {
  attachTechnique,
  clockWordsOf,
  type Subject,
  takeWhatIsThere,
  techniqueMutant,
} from "./technique-subject.ts";

const SIZE = 2;
const FIRST = 11;
const SECOND = 22;
const FILLED = 100;

/**
 * Thread 0 inserts and may die anywhere; thread 1 inserts beside it. Thread 2 reclaims what thread 0 left, takes
 * everything, fills the queue completely in place of thread 0, and takes two different records again.
 */
function survive(subject: Subject, thread: number): void {
  if (thread < 2) {
    subject.box[0] = thread === 0 ? FIRST : SECOND;
    subject.queue.insert(subject.box, 1);
    return;
  }
  awaitEnd(0);
  subject.queue.reclaim(1);
  awaitEnd(1);
  takeWhatIsThere(subject, SIZE);
  for (let filled = 0; filled < SIZE; filled++) {
    subject.box[0] = FILLED + filled;
    if (subject.replacement.tryInsert(subject.box, 1)) report(0);
  }
  takeWhatIsThere(subject, SIZE);
}

/** The survivor's record is there once, the dead thread's at most once, and all room can be used again. */
function isWhole(outcome: Outcome): string | undefined {
  const reports = outcome.reports[2]!.join();
  const rest = `0,0,${FILLED},${FILLED + 1}`;
  const allowed = [`${SECOND}`, `${FIRST},${SECOND}`, `${SECOND},${FIRST}`];
  return allowed.some((taken) => reports === `${taken},${rest}`) ? undefined : `reports ${reports}`;
}

function death(technique: Technique, mutants: readonly Mutant[]): Configuration<Subject> {
  return {
    name: `frontier-${technique}-death`,
    technique: `${technique} frontier, reclaim of a dead owner`,
    threads: 3,
    operations: 1,
    strategy: "stateful",
    mortal: [0],
    long: true,
    cycles: true,
    mutants,
    clockWords: clockWordsOf(technique),
    attach: (memory, owner) => attachTechnique(technique, SIZE, memory, owner),
    initialise(subject) {
      subject.queue.initialise?.();
    },
    program: survive,
    check: isWhole,
  };
}

const notReclaimed = techniqueMutant("nothing-reclaimed", "waiting-queue", [
  "const held = this.repair(deadOwner);",
  "const held = 0;",
]);

/** A thread may die between any two accesses: reclaim repairs the queue while another thread uses it. */
export const configurations: readonly Configuration<Subject>[] = [
  death("lock-free", [notReclaimed]),
  death("semaphore", [
    techniqueMutant("permits-stay-with-the-dead", "semaphore-queue", [
      "const held = this.#permits.reclaim(deadOwner, excess);",
      "const held = 0;",
    ]),
    techniqueMutant("records-not-counted", "semaphore-queue", [
      "const excess = inside ?",
      "const excess = !inside ?",
    ]),
  ]),
  death("coarse", [notReclaimed]),
  death("fine", [
    notReclaimed,
    techniqueMutant("linked-nodes-freed", "fine-queue", [
      "|| !this.#isLinkedBy(deadOwner, node)",
      "|| true",
    ]),
  ]),
  death("optimistic", [
    notReclaimed,
    techniqueMutant("half-exchange-left", "optimistic-queue", ["if (missing >= 0)", "if (false)"]),
  ]),
  death("pessimistic", [
    notReclaimed,
    techniqueMutant("head-left-behind", "pessimistic-queue", [
      "if (this.#positions.slotOf(head) === slot && state === filled) {",
      "if (false) {",
    ]),
  ]),
];
