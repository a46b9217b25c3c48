import { WorkBoard, workBoardBytes } from "../../frontier/lending/work-board.ts";
import { DOORBELL_WORDS, Doorbell } from "../../sync/doorbell.ts";
import { PERMITS_WORDS, Permits } from "../../sync/permits.ts";
import type { Configuration } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { IdleThreads } from "../subjects/idle-threads.ts";
import { PermitVisits } from "../subjects/permit-visits.ts";
import { mutant } from "./mutant.ts";

const PERMITS = "sync/permits.js";
const IDLE = "verify/subjects/idle-threads.js";

function bellsOf(memory: Memory, threads: number): Doorbell[] {
  const words = memory.words(threads * DOORBELL_WORDS);
  return Array.from({ length: threads }, (_, i) => new Doorbell(words, i * DOORBELL_WORDS));
}

interface Visiting {
  readonly words: Int32Array;
  readonly visits: PermitVisits;
}

function attachVisits(memory: Memory, threads: number): Visiting {
  const bells = bellsOf(memory, threads);
  const words = memory.words(PERMITS_WORDS);
  return { words, visits: new PermitVisits(new Permits(words, 0), bells) };
}

function attachIdle(memory: Memory, threads: number): IdleThreads {
  const bells = bellsOf(memory, threads);
  const words = memory.words(workBoardBytes(threads) / 4);
  return new IdleThreads(new WorkBoard(words.buffer as SharedArrayBuffer, threads), bells);
}

/** Threads that sleep until another one calls them: for a page permit, or for work. */
export const configurations = [
  {
    name: "permits-1x3",
    technique: "page permits",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: (memory) => attachVisits(memory, 3),
    initialise(subject) {
      Atomics.store(subject.words, 0, 1);
    },
    program(subject, thread) {
      subject.visits.visit(thread);
    },
    check: (outcome) => (outcome.reports.flat().length === 3 ? undefined : "somebody sleeps"),
    mutants: [
      mutant("never-says-that-it-wants-one", PERMITS, [
        "Atomics.store(this.#words, this.#index + WANTED, 1);",
        "",
      ]),
      mutant("looks-who-wants-one-before-it-is-back", PERMITS, [
        "Atomics.add(this.#words, this.#index + LEFT, 1);\n        return Atomics.exchange(this.#words, this.#index + WANTED, 0) === 1;",
        "const isWanted = Atomics.exchange(this.#words, this.#index + WANTED, 0) === 1;\n        Atomics.add(this.#words, this.#index + LEFT, 1);\n        return isWanted;",
      ]),
    ],
  } satisfies Configuration<Visiting>,
  {
    name: "work-board-2x1",
    technique: "calls for work",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: (memory) => attachIdle(memory, 3),
    program(subject, thread) {
      if (thread === 2) subject.idle(2);
      else subject.spare(thread);
    },
    check: (outcome) => (outcome.reports.flat().length === 1 ? undefined : "it sleeps"),
    mutants: [
      mutant("looks-before-it-says-that-it-is-idle", IDLE, [
        "this.work.setIdle(me, IDLENESS.free);\n            if (this.work.mostSpare(me) >= 0)\n                break;",
        "if (this.work.mostSpare(me) >= 0) break;\n            this.work.setIdle(me, IDLENESS.free);",
      ]),
      mutant("calls-before-it-says-that-there-is-work", IDLE, [
        "this.work.setSpare(me, 1);\n        const called = this.work.call(me, false);",
        "const called = this.work.call(me, false);\n        this.work.setSpare(me, 1);",
      ]),
    ],
  } satisfies Configuration<IdleThreads>,
];
