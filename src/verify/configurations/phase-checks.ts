import { BOARD_BYTES, PhaseBoard } from "../../sync/phase-board.ts";
import type { Configuration, Outcome } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { coordinate, type PhaseThreads, work } from "../subjects/phase-crew.ts";

const PHASES = 2;

function attach(memory: Memory, threads: number, spins: number): PhaseThreads {
  const board = new PhaseBoard(memory.buffer(BOARD_BYTES), threads - 1, spins);
  return { board, slices: memory.words(threads) };
}

/** After phase 1 every slice has 1, after phase 2 it has 3: nobody is behind, ahead or left out. */
function judge(outcome: Outcome, threads: number): string | undefined {
  const sums = outcome.reports.at(0)!.join();
  const expected = [threads, 3 * threads].join();
  return sums === expected ? undefined : `the coordinator saw ${sums} instead of ${expected}`;
}

const patch = (find: string, replace: string) => [{ module: "sync/phase-board.js", find, replace }];

const mutants = [
  {
    name: "lost-wake-up",
    patches: patch("PENDING, 1) === 1)", "PENDING, 1) === 2)"),
  },
  {
    name: "does-not-wait-for-all",
    patches: patch("while (pending !== 0)", "while (pending > 1)"),
  },
  {
    name: "announces-before-it-counts",
    patches: patch(
      "Atomics.store(this.#words, PENDING, this.#workers);\n        Atomics.add(this.#words, PHASE, 1);",
      "Atomics.add(this.#words, PHASE, 1);\n        Atomics.store(this.#words, PENDING, this.#workers);",
    ),
  },
  {
    name: "says-what-after-it-announced",
    patches: [
      ...patch("this.#words[ACT] = act;", ""),
      ...patch(
        "Atomics.notify(this.#words, PHASE);",
        "Atomics.notify(this.#words, PHASE);\n        this.#words[ACT] = act + 0;",
      ),
    ],
  },
];

/** The threads of a global-pivot Quickheap: a phase begins when all have ended the one before, and ends when all have. */
export const configurations: readonly Configuration<PhaseThreads>[] = [
  {
    name: "phases-2x1",
    technique: "phases of a queue in slices",
    threads: 3,
    operations: PHASES,
    strategy: "stateful",
    cycles: true,
    attach: (memory) => attach(memory, 3, 0),
    program(crew, thread) {
      if (thread === 0) coordinate(crew, PHASES);
      else work(crew, thread);
    },
    check: (outcome) => judge(outcome, 3),
    mutants,
  },
  {
    name: "phases-spinning-1x1",
    technique: "phases of a queue in slices",
    threads: 2,
    operations: PHASES,
    strategy: "stateful",
    cycles: true,
    attach: (memory) => attach(memory, 2, 2),
    program(crew, thread) {
      if (thread === 0) coordinate(crew, PHASES);
      else work(crew, thread);
    },
    check: (outcome) => judge(outcome, 2),
    mutants: mutants.filter(({ name }) => name.startsWith("does-not-wait")),
  },
];
