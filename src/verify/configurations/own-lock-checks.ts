import type { Configuration } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { OwnBuffer } from "../subjects/own-buffer.ts";
import { Sync } from "../subjects/own-sync.ts";
import { type Buffered, exchange, takenOnce } from "./bounded-buffer.ts";
import { mutant } from "./mutant.ts";

/** The module that a lock of one's own takes the place of. */
export const OWN_SYNC = "verify/subjects/own-sync.js";

function attachOwn(memory: Memory, size: number, owner: number): Buffered {
  const words = memory.words(Sync.words(size));
  return { buffer: new OwnBuffer(new Sync(words, size, owner), memory.words(size)) };
}

/** Two threads are inside at once: exercise 1. */
const checkThenAct = mutant("check-then-act", OWN_SYNC, [
  "if (Atomics.compareExchange(this.#words, LOCK, 0, 1) === 0)\n            return;",
  "if (Atomics.load(this.#words, LOCK) === 0) { Atomics.store(this.#words, LOCK, 1); return; }",
]);

/** A signal between unlocking and falling asleep is not noticed: exercise 2. */
const lostWakeUp = mutant("lost-wake-up", OWN_SYNC, [
  "const seen = Atomics.load(this.#words, condition);\n        this.#unlock();",
  "this.#unlock();\n        const seen = Atomics.load(this.#words, condition);",
]);

/** Inserters and takers share a condition, and a signal wakes the wrong one: exercise 3. */
const oneCondition = mutant("one-condition-signal-one", OWN_SYNC, [
  "const NOT_EMPTY = 4;",
  "const NOT_EMPTY = 3;",
]);

function checked(
  name: string,
  size: number,
  threads: number,
  items: number,
  mutants: Configuration["mutants"],
): Configuration<Buffered> {
  return {
    name,
    technique: "a lock of one's own",
    threads,
    operations: items,
    strategy: "stateful",
    wordNames: Sync.names,
    long: threads > 2,
    attach: (memory, owner) => attachOwn(memory, size, owner),
    program(subject, thread) {
      exchange(subject, thread, items);
    },
    check: (outcome) => takenOnce(outcome, items),
    mutants,
  };
}

/** What a lock of one's own has to pass: even threads insert, odd ones take. */
export const configurations = [
  checked("own-lock-b1-1p1c", 1, 2, 3, [lostWakeUp]),
  checked("own-lock-b2-1p1c", 2, 2, 3, [checkThenAct]),
  checked("own-lock-b1-2p2c", 1, 4, 1, [oneCondition]),
];
