import { AnswerTable, answerTableBytes } from "../../sync/answer-table.ts";
import type { Configuration } from "../configuration.ts";
import { report } from "../scenario.ts";
import { mutant } from "./mutant.ts";

const TABLE = "sync/answer-table.js";
const SLOTS = 2;
const ANSWER_BYTES = 16;
const ASKED = 1000;

interface Asking {
  readonly table: AnswerTable;
}

/** One thread asks for all. */
export const configurations = [
  {
    name: "answer-table-3",
    technique: "answers for all",
    threads: 3,
    operations: 1,
    strategy: "dpor",
    attach: (memory, owner) => ({
      table: new AnswerTable(memory.buffer(answerTableBytes(SLOTS, ANSWER_BYTES)), SLOTS, owner),
    }),
    // Two threads have the same question; the third one's answer lies beside theirs.
    program(subject, thread) {
      const slot = subject.table.slotOf(1, thread < 2 ? 5 : 9);
      const look = subject.table.look(slot);
      if (look.kind === "unasked" && subject.table.tryClaim(slot, look, 7)) {
        report(ASKED);
        subject.table.answer(slot, Uint8Array.of(thread + 1, 10 * (thread + 1)));
      }
      const after = subject.table.look(slot);
      if (after.kind === "answered") report(after.bytes[0]! + after.bytes[1]!);
    },
    check(outcome) {
      const asked = outcome.reports.map((reported) => reported.at(0) === ASKED);
      if (asked.at(0) === asked.at(1)) return "a question was asked twice, or by nobody";
      if (!asked.at(2)) return "another question was not asked";
      for (const [thread, reported] of outcome.reports.entries()) {
        const asker = thread === 2 ? 2 : asked.at(0) ? 0 : 1;
        const read = reported.at(asked.at(thread) ? 1 : 0);
        if (asked.at(thread) && read === undefined) return "an answer was lost";
        if (read !== undefined && read !== 11 * (asker + 1)) return "an answer is not whole";
      }
      return undefined;
    },
    mutants: [
      mutant("claim-by-store", TABLE, [
        "return Atomics.compareExchange(this.#words, slot, seen.word, mine) === seen.word;",
        "if (Atomics.load(this.#words, slot) !== seen.word) return false; Atomics.store(this.#words, slot, mine); return true;",
      ]),
      mutant("room-by-store", TABLE, [
        "if (Atomics.compareExchange(this.#used, 0, used, used + units) === used)",
        "if (Atomics.store(this.#used, 0, used + units) === used + units)",
      ]),
      mutant("told-before-it-is-there", TABLE, [
        "this.#bytes.set(bytes, at + LENGTH_BYTES);",
        "Atomics.store(this.#words, slot, BigInt(unit + FIRST_UNIT)); this.#bytes.set(bytes, at + LENGTH_BYTES);",
      ]),
    ],
  } satisfies Configuration<Asking>,
];
