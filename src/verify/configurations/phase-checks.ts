import { BOARD_BYTES, PhaseBoard } from "../../sync/phase-board.ts";
import type { Configuration, Mutant, Outcome } from "../configuration.ts";
import { coordinate, type PhaseThreads, work } from "../subjects/phase-threads.ts";
import { mutant } from "./mutant.ts";

const BOARD = "sync/phase-board.js";
const PHASES = 2;

/** After phase 1 every slice has 1, after phase 2 it has 3: nobody is behind, ahead or left out. */
function judge(outcome: Outcome, threads: number): string | undefined {
  const sums = outcome.reports.at(0)!.join();
  const expected = [threads, 3 * threads].join();
  return sums === expected ? undefined : `the coordinator saw ${sums} instead of ${expected}`;
}

const tooEarly = mutant("does-not-wait-for-all", BOARD, [
  "while (pending !== 0)",
  "while (pending > 1)",
]);

/** A coordinator and its workers, which sleep after polling `spins` times. */
function phases(
  name: string,
  threads: number,
  spins: number,
  mutants: readonly Mutant[],
): Configuration<PhaseThreads> {
  return {
    name,
    technique: "phases of a queue in slices",
    threads,
    operations: PHASES,
    strategy: "stateful",
    cycles: true,
    attach: (memory) => ({
      board: new PhaseBoard(memory.buffer(BOARD_BYTES), threads - 1, spins),
      slices: memory.words(threads),
    }),
    program(subject, thread) {
      if (thread === 0) coordinate(subject, PHASES);
      else work(subject, thread);
    },
    check: (outcome) => judge(outcome, threads),
    mutants,
  };
}

/** The threads of a global-pivot Quickheap: a phase begins when all have ended the one before, and ends when all have. */
export const configurations: readonly Configuration<PhaseThreads>[] = [
  phases("phases-2x1", 3, 0, [
    mutant("lost-wake-up", BOARD, ["PENDING, 1) === 1)", "PENDING, 1) === 2)"]),
    tooEarly,
    mutant("announces-before-it-counts", BOARD, [
      "Atomics.store(this.#words, PENDING, this.#workers);\n        Atomics.add(this.#words, PHASE, 1);",
      "Atomics.add(this.#words, PHASE, 1);\n        Atomics.store(this.#words, PENDING, this.#workers);",
    ]),
    mutant(
      "says-what-after-it-announced",
      BOARD,
      ["this.#words[ACT] = act;", ""],
      [
        "Atomics.notify(this.#words, PHASE);",
        "Atomics.notify(this.#words, PHASE);\n        this.#words[ACT] = act + 0;",
      ],
    ),
  ]),
  phases("phases-spinning-1x1", 2, 2, [tooEarly]),
];
